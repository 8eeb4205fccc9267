import { useState } from 'react';
import { Alert, Button, Flex, Tag } from 'antd';
import { Link } from 'react-router';
import { ApiError, failed } from '@/api/client';
import { useAll, useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import {
  askedOf,
  canContinue,
  canPause,
  canResume,
  canRetry,
  canStop,
  countersAreOff,
  hasResults,
  isMoving,
  openOf,
} from '@/api/runs';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { Dialog } from '@/ui/Dialog';
import { count, dateAndTime } from '@/ui/format';
import { EmptyState, LinkButton, Loading } from '@/ui/Page';
import { elapsed, labels, outcomeOf, settledDisplay, shortId, skippedWords } from '@/runs/display';
import { useDownload } from './download';
import { RunProgress } from './RunProgress';
import { SurveyStudies } from './SurveyStudies';
import { StopRun } from '@/runs/StopRun';
import { useControl } from '@/runs/useControl';
import { useRunActions } from '@/runs/useRunActions';

const POLL_MS = 2000;

/** The studies of one survey, and every run, with what can be done to each. */
export function SurveyHistory({
  surveyId,
  title,
  onClose,
}: {
  surveyId: number;
  /** The title of the survey, where it is known. */
  title?: string;
  onClose: () => void;
}) {
  const {
    data: runs,
    error,
    mutate,
  } = useAll(
    '/api/surveys/{surveyId}/simulation-history',
    { params: { path: { surveyId } } },
    polling(POLL_MS, (latest) => latest?.some(({ status }) => isMoving(status)) ?? false),
  );
  return (
    <Dialog
      title={['Simulation History', title ?? runs?.[0]?.surveyTitle].filter(Boolean).join(': ')}
      onClose={onClose}
      size="xl"
    >
      {error !== undefined && runs === undefined && <Alert type="error" title={wordsFor(error)} />}
      {runs === undefined && error === undefined && <Loading />}
      {runs?.length === 0 && <EmptyState title="No Simulations Found" />}
      {runs?.some(({ studyId }) => studyId != null) && <SurveyStudies surveyId={surveyId} />}
      <div className="run-cards stack gap-3">
        {runs?.map((run) => (
          <RunCard key={run.simulationId} run={run} onChange={mutate} />
        ))}
      </div>
      <Flex justify="space-between" align="center" className="dialog-foot">
        <span className="muted">Showing {runs?.length ?? 0} simulation(s)</span>
        <Button onClick={onClose}>Close</Button>
      </Flex>
    </Dialog>
  );
}

function wordsFor(error: ApiError): string {
  if (error.status === 401) return 'You are not logged in. Please log in again.';
  return failed('Failed to load simulation history', error);
}

function RunCard({ run, onChange }: { run: Simulation; onChange: () => void }) {
  const { text, color } = labels[settledDisplay(run)];
  const took = elapsed(run);
  return (
    <article
      className="run-card long-word stack gap-2 box"
      aria-label={`Simulation ${shortId(run.simulationId)}`}
    >
      <header>
        {run.name != null && <strong>{run.name}</strong>}
        <code>{shortId(run.simulationId)}</code>
        <Tag color={color}>{text}</Tag>
        {run.demoModel && <Tag>Demo model</Tag>}
        {run.studyId != null && <Link to={paths.study(run.studyId)}>Study</Link>}
        <span className="muted">{dateAndTime(run.created_at)}</span>
        {run.startedBy != null && <span className="muted">by {run.startedBy}</span>}
        {took !== null && <span className="muted">{took}</span>}
      </header>
      <p>
        {count(run.personaCount)} digital twins, {count(askedOf(run))} requests:{' '}
        {[
          `${count(run.successfulRequests)} successful`,
          `${count(run.failedRequests)} failed`,
          ...skippedWords(run),
        ].join(', ')}
      </p>
      <p className="muted">{outcomeOf(run)}</p>
      {run.note != null && <p className="muted">{run.note}</p>}
      {run.failedRequests > 0 && <Failures simulationId={run.simulationId} />}
      <RunProgress run={run} onEnd={onChange} />
      <CardActions run={run} onChange={onChange} />
    </article>
  );
}

/** Why requests of a run failed, the commonest cause first. */
function Failures({ simulationId }: { simulationId: string }) {
  const { data: causes = [] } = useGet('/api/simulations/{simulationId}/failures', {
    params: { path: { simulationId } },
  });
  if (causes.length === 0) return null;
  return (
    <details>
      <summary>Why requests failed</summary>
      <ul>
        {causes.map((cause) => (
          <li key={cause.code}>
            {cause.message} <span className="muted">{count(cause.count)} requests</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

function CardActions({ run, onChange }: { run: Simulation; onChange: () => void }) {
  const { busy, act } = useRunActions(run, onChange);
  const control = useControl(run);
  const download = useDownload();
  const [stopping, setStopping] = useState(false);
  const button = (action: typeof busy & string) => ({
    size: 'small' as const,
    loading: busy === action,
    disabled: busy === action,
    onClick: () => void act(action),
  });
  return (
    <div className="row-actions">
      {control && canPause(run.status) && <Button {...button('pause')}>Pause</Button>}
      {control && canResume(run.status) && (
        <Button {...button('resume')} type="primary">
          Resume
        </Button>
      )}
      {control && canStop(run.status) && (
        <Button {...button('stop')} onClick={() => setStopping(true)}>
          Stop
        </Button>
      )}
      {stopping && <StopRun run={run} onStop={() => act('stop')} onClose={() => setStopping(false)} />}
      {control && canContinue(run) && (
        <Button {...button('continue')} type="primary">
          Continue ({count(openOf(run))} open)
        </Button>
      )}
      {control && (
        <Button
          {...button('retry')}
          disabled={!canRetry(run) || busy === 'retry'}
          type="primary"
          title="Retry failed requests for this simulation"
        >
          {busy === 'retry' ? 'Retrying...' : 'Retry Failed'}
        </Button>
      )}
      {control && countersAreOff(run) && <Button {...button('reset')}>Reset Counters</Button>}
      <Button {...button('refresh')} color="primary" variant="text">
        Refresh
      </Button>
      {run.successfulRequests > 0 && (
        <>
          <LinkButton
            size="small"
            color="primary"
            variant="filled"
            to={paths.responses(run.surveyId, run.simulationId)}
          >
            View Responses
          </LinkButton>
          {hasResults(run.status) && (
            <Button size="small" color="primary" variant="text" onClick={() => void download(run)}>
              Download
            </Button>
          )}
        </>
      )}
    </div>
  );
}
