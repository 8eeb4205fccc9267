import { canPause, canResume, canRetry, canStop, countersAreOff, hasResults } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { Badge } from '@/ui/Badge';
import { Button, LinkButton } from '@/ui/Button';
import { count, dateAndTime } from '@/ui/format';
import { elapsed, labels, outcomeOf, settledDisplay, shortId } from './display';
import { Failures } from './Failures';
import { RunProgress } from './RunProgress';
import { useDownload } from './useDownload';
import { useRunActions } from './useRunActions';

export function RunCard({ run, onChange }: { run: Simulation; onChange: () => void }) {
  const { busy, act } = useRunActions(run, onChange);
  const download = useDownload();
  const { text, tone } = labels[settledDisplay(run)];
  const took = elapsed(run);
  return (
    <article className="run-card" aria-label={`Simulation ${shortId(run.simulationId)}`}>
      <header>
        <code>{shortId(run.simulationId)}</code>
        <Badge tone={tone}>{text}</Badge>
        {run.demoModel && <Badge>Demo model</Badge>}
        <span className="muted">{dateAndTime(run.created_at)}</span>
        {took !== null && <span className="muted">{took}</span>}
      </header>
      <p>
        {count(run.personaCount)} digital twins, {count(run.totalRequests)} requests:{' '}
        {count(run.successfulRequests)} successful, {count(run.failedRequests)} failed
      </p>
      <p className="muted">{outcomeOf(run)}</p>
      {run.failedRequests > 0 && <Failures simulationId={run.simulationId} />}
      <RunProgress run={run} onEnd={onChange} />
      <div className="row-actions">
        {canPause(run.status) && (
          <Button size="sm" variant="outline" loading={busy === 'pause'} onClick={() => void act('pause')}>
            Pause
          </Button>
        )}
        {canResume(run.status) && (
          <Button size="sm" loading={busy === 'resume'} onClick={() => void act('resume')}>
            Resume
          </Button>
        )}
        {canStop(run.status) && (
          <Button size="sm" variant="outline" loading={busy === 'stop'} onClick={() => void act('stop')}>
            Stop
          </Button>
        )}
        {canRetry(run) && (
          <Button
            size="sm"
            title="Retry failed requests for this simulation"
            loading={busy === 'retry'}
            loadingText="Retrying..."
            onClick={() => void act('retry')}
          >
            Retry Failed
          </Button>
        )}
        {countersAreOff(run) && (
          <Button size="sm" variant="outline" loading={busy === 'reset'} onClick={() => void act('reset')}>
            Reset Counters
          </Button>
        )}
        <Button size="sm" variant="ghost" loading={busy === 'refresh'} onClick={() => void act('refresh')}>
          Refresh
        </Button>
        {hasResults(run.status) && run.successfulRequests > 0 && (
          <>
            <LinkButton size="sm" variant="secondary" to={paths.responses(run.surveyId, run.simulationId)}>
              View Responses
            </LinkButton>
            <Button size="sm" variant="ghost" onClick={() => void download(run)}>
              Download
            </Button>
          </>
        )}
      </div>
    </article>
  );
}
