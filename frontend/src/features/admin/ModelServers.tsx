import { Alert, App, Badge, Button, Card, Col, Flex, Progress, Row, Statistic, Typography } from 'antd';
import { api, messageOf } from '@/api/client';
import { useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import type { ModelServer } from '@/api/types';
import { count, date, money, moneyWords } from '@/ui/format';
import { formatShort, percent } from '@/ui/numbers';
import { EmptyState, Loading } from '@/ui/Page';
import { ModelAbilities } from './ModelAbilities';
import { headline, stateWords, waitingWords } from './serverWords';

const POLL_MS = 5000;
/** Part of a limit from which it holds calls back. */
const FULL = 0.95;

/** The model servers: how each does, how much of its limits is used, and what it has cost. */
export function ModelServers() {
  const { message } = App.useApp();
  const { data, error, mutate } = useGet(
    '/api/admin/model-servers',
    {},
    polling(POLL_MS, () => true),
  );
  if (error !== undefined && data === undefined)
    return <Alert type="error" title="Failed to load the model servers" />;
  if (data === undefined) return <Loading />;
  if (data.length === 0) return <EmptyState title="There is no model server" />;
  const check = async (names: readonly string[]) => {
    for (const name of names) {
      try {
        await api.post('/api/admin/model-servers/{name}/check', { params: { path: { name } } });
      } catch (failure) {
        void message.error(messageOf(failure, `Failed to check ${name}`));
      }
    }
    await mutate();
  };
  const idle = data.filter((server) => !server.checking && server.state !== 'no_key');
  const cost = moneyWords(totals(idle.flatMap(({ checkCost }) => checkCost ?? [])));
  const saved = moneyWords(totals(data.flatMap(({ month }) => month.money.map((sum) => sum.saved))));
  const words = [waitingWords(data), saved !== null && `The caches spared ${saved} this month.`];
  return (
    <div className="admin-part stack gap-4">
      <Flex justify="space-between" align="start" gap="middle" wrap>
        <div>
          <Typography.Title level={2} aria-live="polite">
            {headline(data)}
          </Typography.Title>
          <p className="muted">{words.filter(Boolean).join(' ')}</p>
        </div>
        {data.length > 1 && (
          <Button
            type="primary"
            disabled={idle.length === 0}
            onClick={() => void check(idle.map(({ name }) => name))}
          >
            Check all{cost !== null && `, about ${cost}`}
          </Button>
        )}
      </Flex>
      <Row gutter={[16, 16]}>
        {data.map((server) => (
          <Col key={server.name} xs={24} lg={data.length === 1 ? 24 : 12} xxl={data.length === 1 ? 24 : 8}>
            <ServerCard server={server} onCheck={() => void check([server.name])} />
          </Col>
        ))}
      </Row>
      <ModelAbilities servers={data} />
    </div>
  );
}

/** The sum of each currency. */
function totals(amounts: readonly { amount: string; currency: string }[]) {
  const sums = new Map<string, number>();
  for (const { amount, currency } of amounts) sums.set(currency, (sums.get(currency) ?? 0) + Number(amount));
  return [...sums].map(([currency, amount]) => ({ currency, amount: String(amount) }));
}

function ServerCard({ server, onCheck }: { server: ModelServer; onCheck: () => void }) {
  const { name, state, traffic, month } = server;
  const { text, mark } = stateWords[state];
  return (
    <Card
      size="small"
      title={<h3>{name}</h3>}
      extra={
        <Flex align="center" gap="small">
          <Badge status={mark} text={text} />
          <Button size="small" loading={server.checking} disabled={state === 'no_key'} onClick={onCheck}>
            Check
          </Button>
        </Flex>
      }
      role="group"
      aria-label={name}
    >
      <Flex vertical gap="middle">
        <div>
          <code>{server.host ?? 'the built-in demo model'}</code>
          <br />
          <span className="muted">
            {server.models.join(', ')} · {month.runs === 1 ? '1 run' : `${count(month.runs)} runs`} this month
          </span>
          {server.reason != null && <p className="muted">{server.reason}</p>}
          {server.checkFailure != null && (
            <Alert
              type="warning"
              role="status"
              title={`The last check found nothing out: ${server.checkFailure}`}
            />
          )}
        </div>
        <Statistic
          title={`requests a minute now, ${count(traffic.openRequests)} waiting`}
          value={traffic.requestsPerMinute}
        />
        <Hour minutes={server.hour} />
        <div>
          <Limit name="Requests a minute" used={traffic.requestsPerMinute} limit={server.limitRequests} />
          <Limit name="Tokens a minute" used={traffic.tokensPerMinute} limit={server.limitTokens} />
          <Limit name="Calls at once" used={traffic.inFlight} limit={server.limitConcurrency} />
        </div>
        <Row gutter={[16, 8]}>
          {figures(server).map(({ title, value }) => (
            <Col key={title} span={12}>
              <Statistic title={title} value={value} />
            </Col>
          ))}
        </Row>
        <PriceTable server={server} />
      </Flex>
    </Card>
  );
}

/** The figures of the month. Money has one for each key, if groups have their own. */
function figures({ month, medianSeconds }: ModelServer): { title: string; value: string }[] {
  const byGroups = month.money.some(({ key }) => key === 'group');
  const owner = { instance: byGroups ? ', by the instance’s key' : '', group: ', by groups’ keys' };
  const sums = (['instance', 'group'] as const).flatMap((key) => {
    const own = month.money.filter((sum) => sum.key === key);
    const spent = moneyWords(own.map((sum) => sum.spent));
    const saved = moneyWords(own.map((sum) => sum.saved));
    return [
      ...(spent === null ? [] : [{ title: `spent this month${owner[key]}`, value: spent }]),
      ...(saved === null ? [] : [{ title: `saved by the cache${owner[key]}`, value: saved }]),
    ];
  });
  return [
    ...(month.cachedShare == null
      ? []
      : [{ title: 'of tokens read from cache', value: percent(month.cachedShare) }]),
    ...(medianSeconds == null
      ? []
      : [{ title: 'half of the answers within', value: `${formatShort(medianSeconds)} s` }]),
    ...sums,
  ];
}

/** A bar of a limit; ochre where it holds calls back. */
function Limit({ name, used, limit }: { name: string; used: number; limit: number | null | undefined }) {
  if (limit == null) return null;
  return (
    <div>
      <Flex justify="space-between" gap="small">
        <span>{name}</span>
        <span>
          <strong>{count(used)}</strong> of {count(limit)}
        </span>
      </Flex>
      <Progress
        aria-label={name}
        percent={Math.min(100, (100 * used) / limit)}
        showInfo={false}
        size="small"
        strokeColor={used >= FULL * limit ? 'var(--accent-mark)' : 'var(--brand)'}
      />
    </div>
  );
}

const WIDTH = 360;
const HEIGHT = 48;

/** Calls of the last hour as a line. */
function Hour({ minutes }: { minutes: ModelServer['hour'] }) {
  const most = Math.max(1, ...minutes.map(({ calls }) => calls));
  const points = minutes.map(
    ({ calls }, place) =>
      `${(WIDTH * place) / Math.max(1, minutes.length - 1)},${HEIGHT * (1 - calls / most)}`,
  );
  return (
    <svg
      viewBox={`0 -2 ${WIDTH} ${HEIGHT + 4}`}
      width="100%"
      height={HEIGHT}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Requests a minute in the last hour, at most ${count(Math.max(0, ...minutes.map(({ calls }) => calls)))}`}
    >
      <polygon points={`0,${HEIGHT} ${points.join(' ')} ${WIDTH},${HEIGHT}`} fill="var(--brand-soft)" />
      <polyline
        points={points.join(' ')}
        fill="none"
        stroke="var(--chart-answer)"
        strokeWidth={1.8}
        vectorEffect="non-scaling-stroke"
      />
    </svg>
  );
}

/** The prices that runs take, and how old they are. */
function PriceTable({ server: { prices, pricesAsOf } }: { server: ModelServer }) {
  const known = Object.entries(prices);
  if (known.length === 0) return <p className="muted">No price is known: nothing is said of money.</p>;
  const unit = (microUnits: number, currency: string) => money(microUnits / 1e6, currency);
  return (
    <div className="muted">
      {pricesAsOf == null
        ? 'Prices of this installation, without a date.'
        : `Price table of ${date(pricesAsOf)}.`}
      {known.map(([model, { prompt, cached, completion, currency }]) => (
        <div key={model}>
          {model}: {unit(prompt, currency)} in, {unit(cached, currency)} cached, {unit(completion, currency)}{' '}
          out, a million tokens.
        </div>
      ))}
    </div>
  );
}
