import { Link } from 'react-router';
import { useAll, useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { hasResults, isActive, isMoving } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { Badge } from '@/ui/Badge';
import { LinkButton } from '@/ui/Button';
import { count, relativeDate } from '@/ui/format';
import { Loading } from '@/ui/Loading';
import { Page, Panel } from '@/ui/Page';
import { ProgressBar } from '@/ui/ProgressBar';
import { CreditsLeft } from './CreditsLeft';
import './dashboard.css';

const POLL_MS = 2000;
const LATEST = 5;

/** Runs under way, credits left in each group, and the latest results. */
export function MyOverview() {
  const { data: runs } = useGet(
    '/api/simulations',
    { query: { limit: 50 } },
    polling(POLL_MS, (latest) => latest?.some(({ status }) => isMoving(status)) ?? false),
  );
  const { data: groups } = useAll('/api/groups/my', {});
  const active = runs?.filter(({ status }) => isActive(status)) ?? [];
  const done =
    runs?.filter((run) => hasResults(run.status) && run.successfulRequests > 0).slice(0, LATEST) ?? [];

  return (
    <Page
      title="Dashboard"
      subtitle="What is under way"
      actions={<LinkButton to={paths.surveyBuilder}>My Surveys</LinkButton>}
    >
      <Panel title="Active simulations">
        {runs === undefined ? <Loading /> : <ActiveRuns runs={active} />}
      </Panel>
      <div className="cards">
        {groups?.map((group) => (
          <CreditsLeft key={group.id} group={group} />
        ))}
      </div>
      <Panel title="Latest results">
        {done.length === 0 && <p className="muted">No results yet.</p>}
        <ul className="overview-list">
          {done.map((run) => (
            <li key={run.simulationId}>
              <Link to={paths.responses(run.surveyId, run.simulationId)}>{run.surveyTitle}</Link>
              <span className="muted">
                {count(run.successfulRequests)} responses, {relativeDate(run.created_at)}
              </span>
              {run.demoModel && <Badge>Demo model</Badge>}
            </li>
          ))}
        </ul>
      </Panel>
    </Page>
  );
}

function ActiveRuns({ runs }: { runs: Simulation[] }) {
  if (runs.length === 0) return <p className="muted">Nothing is running.</p>;
  return (
    <ul className="overview-list">
      {runs.map((run) => (
        <li key={run.simulationId}>
          <Link to={paths.simulationHistory}>{run.surveyTitle}</Link>
          <ProgressBar
            label={`Progress of ${run.surveyTitle}`}
            percent={(100 * (run.successfulRequests + run.failedRequests)) / Math.max(1, run.totalRequests)}
          />
        </li>
      ))}
    </ul>
  );
}
