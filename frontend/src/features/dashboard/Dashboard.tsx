import { Alert, Progress, Tag } from 'antd';
import { Link } from 'react-router';
import { isLow } from '@/api/credits';
import { useAll, useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { useSession } from '@/api/session';
import { hasResults, isActive, isMoving, percentOf } from '@/api/runs';
import type { Group, Simulation } from '@/api/types';
import { paths } from '@/paths';
import { modelName } from '@/runs/display';
import { count, relativeDate } from '@/ui/format';
import { Help } from '@/ui/Help';
import { LinkButton, Loading, Page, Panel } from '@/ui/Page';
import { FirstSteps } from './FirstSteps';
import { GroupCards } from './GroupCards';
import './dashboard.css';

const POLL_MS = 2000;
const LATEST = 5;

/** Super admins see every group; others what they have under way. */
export default function Dashboard() {
  return useSession()?.role === 'super_admin' ? <GroupCards /> : <Overview />;
}

/** Runs under way, credits left in each group, and the latest results. */
function Overview() {
  const { data: runs, error: noRuns } = useGet(
    '/api/simulations',
    { params: { query: { limit: 50 } } },
    polling(POLL_MS, (latest) => latest?.some(({ status }) => isMoving(status)) ?? false),
  );
  const { data: groups, error: noGroups } = useAll('/api/groups/my', {});
  const failed =
    (noRuns !== undefined && runs === undefined) || (noGroups !== undefined && groups === undefined);

  return (
    <Page
      title="Dashboard"
      subtitle="What is under way"
      actions={
        <LinkButton to={paths.surveyBuilder} type="primary">
          My Surveys
        </LinkButton>
      }
    >
      {failed && <Alert type="error" title="Failed to load what is under way" />}
      {!failed && (runs === undefined || groups === undefined) && <Loading />}
      {runs !== undefined && groups !== undefined && (
        <>
          <FirstSteps groups={groups} runs={runs} />
          <Panel title="Active simulations">
            <ActiveRuns runs={runs.filter(({ status }) => isActive(status))} />
          </Panel>
          {groups.length > 0 && (
            <div className="cards stack gap-4">
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
    <ul className="overview-list stack gap-3 list">
      {runs.slice(0, LATEST).map((run) => (
        <li key={run.simulationId}>
          <Link to={paths.charts(run.surveyId, run.simulationId)}>{run.name ?? run.surveyTitle}</Link>
          <span className="muted">
            {count(run.personaCount)} twins, {count(run.successfulRequests)} responses,{' '}
            {modelName(run.demoModel, run.parameters.model)}, {relativeDate(run.created_at)}
          </span>
          {run.demoModel && <Tag>Demo model</Tag>}
        </li>
      ))}
    </ul>
  );
}

function ActiveRuns({ runs }: { runs: Simulation[] }) {
  if (runs.length === 0) return <p className="muted">Nothing is running.</p>;
  return (
    <ul className="overview-list stack gap-3 list">
      {runs.map((run) => (
        <li key={run.simulationId}>
          <Link to={paths.responses(run.surveyId, run.simulationId)}>{run.name ?? run.surveyTitle}</Link>
          {run.status === 'PAUSED' && <Tag color="warning">Paused</Tag>}
          <Progress
            aria-label={`Progress of ${run.surveyTitle}`}
            percent={Math.floor(percentOf(run))}
            status="normal"
          />
        </li>
      ))}
    </ul>
  );
}

/** The credits that the user may still spend in a group; nothing for an owner who is no member. */
function CreditsLeft({ group }: { group: Group }) {
  return (
    <article className="dashboard-card stack gap-3 card long-word">
      <h2>{group.groupName}</h2>
      <p className="card-figure">{group.available == null ? '–' : count(group.available)}</p>
      <p className="muted">
        {group.available == null ? 'You own this group' : 'credits left'}
        <Help term="credits" />{' '}
        {group.available != null && isLow(group.available) && <Tag color="warning">Low credit</Tag>}
      </p>
    </article>
  );
}
