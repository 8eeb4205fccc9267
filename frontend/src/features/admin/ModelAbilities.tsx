import { Badge, Table } from 'antd';
import type { ModelServer } from '@/api/types';
import { count, dateAndTime, moneyWords } from '@/ui/format';
import { abilityName, verdictWords } from './serverWords';

type Check = ModelServer['checks'][number];
type Row = Check & { key: string; server: string };

/** The abilities that have a column, in their order; the others stand with the details of a row. */
const columns = [
  'schema',
  'seed',
  'temperature',
  'reasoning_effort',
  'logprobs',
  'n',
  'cache',
  'limits',
  'batches',
];

/** The findings of the newest check of each model. A row opens for the basis of each verdict. */
export function ModelAbilities({ servers }: { servers: readonly ModelServer[] }) {
  const rows: Row[] = servers.flatMap(({ name, checks }) =>
    checks.map((check) => ({ ...check, key: `${name}/${check.model}`, server: name })),
  );
  const found = columns.filter((name) =>
    rows.some(({ findings }) => findings.some((finding) => finding.name === name)),
  );
  return (
    <section aria-labelledby="model-abilities">
      <h2 id="model-abilities">What each model can do</h2>
      <p className="muted">
        {rows.length === 0
          ? 'No model has been checked. A check asks it some twenty tiny questions and takes no credits.'
          : 'Measured by asking, not taken from a manual. Runs use what the check found, and a run with a parameter without effect does not start.'}
      </p>
      {rows.length > 0 && (
        <Table<Row>
          size="small"
          pagination={false}
          scroll={{ x: 'max-content' }}
          dataSource={rows}
          columns={[
            {
              title: 'Model',
              key: 'model',
              render: (_, { model, server, checkedAt }) => (
                <>
                  <strong>{model}</strong>
                  <div className="muted">
                    {server} · {dateAndTime(checkedAt)}
                  </div>
                </>
              ),
            },
            ...found.map((name) => ({
              title: abilityName(name),
              key: name,
              render: (_: unknown, { findings }: Row) => {
                const finding = findings.find((one) => one.name === name);
                return finding === undefined ? null : <Badge {...verdictWords[finding.verdict]} />;
              },
            })),
          ]}
          expandable={{ expandedRowRender: (check) => <Findings check={check} /> }}
        />
      )}
    </section>
  );
}

function Findings({ check: { findings, calls, tokens, cost } }: { check: Check }) {
  return (
    <div style={{ maxWidth: 'min(70ch, 75vw)' }}>
      <dl className="facts stack">
        {findings.map(({ name, verdict, detail }) => (
          <div key={name}>
            <dt>{abilityName(name)}</dt>
            <dd>
              {verdictWords[verdict].text}: {detail}
            </dd>
          </div>
        ))}
      </dl>
      <p className="muted">
        {count(calls)} calls, {count(tokens)} tokens
        {cost != null && `, ${moneyWords([cost])}`}, no credits.
      </p>
    </div>
  );
}
