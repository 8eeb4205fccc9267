import { useMemo } from 'react';
import { Alert, Button } from 'antd';
import { useParams } from 'react-router';
import { useGet } from '@/api/hooks';
import { LIVE_MS } from '@/api/live';
import { polling } from '@/api/polling';
import { isMoving } from '@/api/runs';
import { ChartSheet } from '@/charts/ChartSheet';
import { useResultFilter } from '@/charts/filter';
import { modelName } from '@/runs/display';
import { SharedFrame } from '@/shell/SharedFrame';
import { count, date } from '@/ui/format';
import { EmptyState, Loading, Page, Panel } from '@/ui/Page';

const ONCE = { revalidateOnFocus: false, revalidateOnReconnect: false };

/** A run's results for all who have the link: charts, and the notices that readers need. */
export default function SharedPage() {
  const { token = '' } = useParams();
  return (
    <SharedFrame>
      <Shared token={token} />
    </SharedFrame>
  );
}

function Shared({ token }: { token: string }) {
  const filter = useResultFilter();
  const path = useMemo(() => ({ token }), [token]);
  // Once: each call counts as a view.
  const run = useGet('/api/shared/{token}', { params: { path } }, { revalidateIfStale: false, ...ONCE });
  const begun = run.data !== undefined && isMoving(run.data.status);
  const summary = useGet(
    run.data === undefined ? null : '/api/shared/{token}/summary',
    { params: { path, query: filter.query } },
    {
      keepPreviousData: true,
      ...ONCE,
      ...(begun && polling(LIVE_MS, (latest) => latest === undefined || latest.partial)),
    },
  );
  const moving = begun && summary.data?.partial !== false;
  if (run.error?.status === 404) {
    return (
      <Page title="This link leads nowhere">
        <Panel>
          <EmptyState title="Nothing is here">
            It has expired, was revoked, or a letter of it is missing. Ask who sent it for a new one.
          </EmptyState>
        </Panel>
      </Page>
    );
  }
  if (run.data === undefined) {
    return run.error === undefined ? <Loading /> : <Alert type="error" title="Failed to load the results" />;
  }
  const { title, description, personaCount, questions, model, demoModel, notice, expiresAt } = run.data;
  const unfit = summary.error?.status === 400;
  return (
    <Page title={title} {...(description !== '' && { subtitle: description })}>
      <Alert type="info" title={`${notice.charAt(0).toUpperCase()}${notice.slice(1)}.`} />
      <p className="muted long-word">
        {count(questions.length)} {questions.length === 1 ? 'question' : 'questions'} to {count(personaCount)}{' '}
        digital twins, {date(run.data.createdAt)}
      </p>
      {summary.error !== undefined && summary.data === undefined && (
        <Alert
          type="error"
          title={unfit ? 'This run cannot be split or filtered that way.' : 'Failed to load the results'}
          action={unfit && <Button onClick={filter.clear}>Show all answers</Button>}
        />
      )}
      {summary.data === undefined && summary.error === undefined && <Loading />}
      {summary.data !== undefined && (
        <Panel>
          <ChartSheet
            texts={path}
            summary={summary.data}
            filter={filter}
            twins={personaCount}
            model={modelName(demoModel, model)}
            moving={moving}
          />
        </Panel>
      )}
      <p className="muted long-word">
        {run.data.personasSource}, seed {run.data.seed}, profile text “{run.data.personaVariant}”, survey
        SHA-256 <code>{run.data.surveyHash.slice(0, 12)}</code>, Digital Twin Lab {run.data.programVersion}.
        This link ends on {date(expiresAt)}.
      </p>
    </Page>
  );
}
