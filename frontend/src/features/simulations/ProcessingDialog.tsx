import { useCallback, useState } from 'react';
import { Button, Descriptions, Flex } from 'antd';
import { canPause, canResume, canStop, hasResults } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { outcomeOf } from '@/runs/display';
import { StopRun } from '@/runs/StopRun';
import { useLiveProgress } from '@/runs/useLiveProgress';
import { useRunActions } from '@/runs/useRunActions';
import { Dialog } from '@/ui/Dialog';
import { count, dateAndTime } from '@/ui/format';
import { LinkButton } from '@/ui/Page';
import { KnownProgress, RunOutcome } from './RunProgress';

/** About a run that is still going, and how it ended where it ends meanwhile. */
export function ProcessingDialog({
  run,
  control,
  onClose,
  onRefresh,
}: {
  run: Simulation;
  /** The user may pause and stop it. */
  control: boolean;
  onClose: () => void;
  onRefresh: () => Promise<unknown>;
}) {
  const [refreshing, setRefreshing] = useState(false);
  const [stopping, setStopping] = useState(false);
  const { busy, act } = useRunActions(run, () => void onRefresh());
  const refresh = async () => {
    setRefreshing(true);
    await onRefresh();
    setRefreshing(false);
  };
  const ended = useCallback(() => void onRefresh(), [onRefresh]);
  const live = useLiveProgress(run, ended);
  const going = run.status === 'RUNNING';
  return (
    <Dialog title="Simulation Processing" onClose={onClose}>
      <div className="run-processing stack gap-3">
        {hasResults(run.status) && run.status !== 'PAUSED' ? (
          <>
            <RunOutcome run={run} />
            <p role="status">{outcomeOf(run)}</p>
          </>
        ) : (
          <KnownProgress run={run} live={live} />
        )}
        <div className="row-actions">
          {control && canPause(run.status) && (
            <Button size="small" disabled={busy !== null} onClick={() => void act('pause')}>
              Pause
            </Button>
          )}
          {control && canResume(run.status) && (
            <Button size="small" type="primary" disabled={busy !== null} onClick={() => void act('resume')}>
              Resume
            </Button>
          )}
          {control && canStop(run.status) && (
            <Button size="small" danger disabled={busy !== null} onClick={() => setStopping(true)}>
              Stop…
            </Button>
          )}
          {run.successfulRequests > 0 && (
            <LinkButton size="small" to={paths.responses(run.surveyId, run.simulationId)}>
              View Responses
            </LinkButton>
          )}
        </div>
      </div>
      <Descriptions
        column={1}
        size="small"
        items={[
          { key: 'survey', label: 'Survey', children: run.surveyTitle },
          { key: 'twins', label: 'Digital Twins', children: count(run.personaCount) },
          { key: 'questions', label: 'Questions', children: run.totalQuestions },
          { key: 'started', label: 'Started', children: dateAndTime(run.startedAt ?? run.created_at) },
        ]}
      />
      {going && (
        <>
          <p>It usually takes 1-3 minutes until all digital twins have answered.</p>
          {live.progress?.etaSeconds == null && <p className="muted">Estimated time: 2-4 minutes</p>}
        </>
      )}
      <Flex justify="end" gap="small" className="dialog-foot">
        <Button onClick={onClose}>Close</Button>
        <Button type="primary" loading={refreshing} disabled={refreshing} onClick={() => void refresh()}>
          Refresh Status
        </Button>
      </Flex>
      {stopping && <StopRun run={run} onStop={() => act('stop')} onClose={() => setStopping(false)} />}
    </Dialog>
  );
}
