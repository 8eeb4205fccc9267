import { Link } from 'react-router';
import { useAll, useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { hasResults, isActive, isMoving } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { Badge } from '@/ui/Badge';
import { Banner } from '@/ui/Banner';
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
  const { data: runs, error: noRuns } = useGet(
    '/api/simulations',
    { query: { limit: 50 } },
    polling(POLL_MS, (latest) => latest?.some(({ status }) => isMoving(status)) ?? false),
  );
  const { data: groups, error: noGroups } = useAll('/api/groups/my', {});
  const failed =
    (noRuns !== undefined && runs === undefined) || (noGroups !== undefined && groups === undefined);

  return (
    <Page
      title="Dashboard"
      subtitle="What is under way"
      actions={<LinkButton to={paths.surveyBuilder}>My Surveys</LinkButton>}
    >
      {failed && <Banner type="error">Failed to load what is under way</Banner>}
      {!failed && (runs === undefined || groups === undefined) && <Loading />}
      {runs !== undefined && groups !== undefined && (
        <>
          <Panel title="Active simulations">
            <ActiveRuns runs={runs.filter(({ status }) => isActive(status))} />
          </Panel>
          {groups.length > 0 && (
            <div className="cards">
              {groups.map((group) => (
                <CreditsLeft key={group.id} group={group} />
              ))}
            </div>
          )}
          <Panel title="Latest results">
            <LatestResults
              runs={runs.filter((run) => hasResults(run.status) && run.successfulRequests > 0)}
            />
          </Panel>
        </>
      )}
    </Page>
  );
}

function LatestResults({ runs }: { runs: Simulation[] }) {
  if (runs.length === 0) return <p className="muted">No results yet.</p>;
  return (
    <ul className="overview-list">
      {runs.slice(0, LATEST).map((run) => (
        <li key={run.simulationId}>
          <Link to={paths.responses(run.surveyId, run.simulationId)}>{run.surveyTitle}</Link>
          <span className="muted">
            {count(run.successfulRequests)} responses, {relativeDate(run.created_at)}
          </span>
          {run.demoModel && <Badge>Demo model</Badge>}
        </li>
      ))}
    </ul>
  );
}

function ActiveRuns({ runs }: { runs: Simulation[] }) {
  if (runs.length === 0) return <p className="muted">Nothing is running.</p>;
  return (
    <ul className="overview-list">
      {runs.map((run) => (
        <li key={run.simulationId}>
          <Link to={paths.simulationHistory}>{run.surveyTitle}</Link>
          {run.status === 'PAUSED' && <Badge tone="warn">Paused</Badge>}
          <ProgressBar
            label={`Progress of ${run.surveyTitle}`}
            percent={(100 * (run.successfulRequests + run.failedRequests)) / Math.max(1, run.totalRequests)}
          />
        </li>
      ))}
    </ul>
  );
}
