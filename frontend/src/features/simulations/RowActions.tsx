import { useState, type ReactElement } from 'react';
import { Button, Spin } from 'antd';
import { useNavigate } from 'react-router';
import { canContinue, canPause, canResume, canRetry, canStop, hasResults, openOf } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { StopRun } from '@/runs/StopRun';
import { useRunActions, type RunAction } from '@/runs/useRunActions';
import {
  CrossIcon,
  DownloadIcon,
  HistoryIcon,
  PauseIcon,
  ResumeIcon,
  RetryIcon,
  StopIcon,
  ViewIcon,
} from '@/ui/icons';
import { count } from '@/ui/format';
import { useDownload } from './download';

/** What can be done with a run of the list. */
export function RowActions({
  run,
  control,
  onChange,
  onWatch,
  onHistory,
}: {
  run: Simulation;
  /** The user may pause, stop and retry it. */
  control: boolean;
  onChange: () => void;
  onWatch: () => void;
  onHistory: () => void;
}) {
  const navigate = useNavigate();
  const download = useDownload();
  const { busy, act } = useRunActions(run, onChange);
  const [stopping, setStopping] = useState(false);
  const answered = run.successfulRequests > 0;
  const ready = hasResults(run.status) && answered;
  const button = (label: string, icon: ReactElement, onClick: () => void) => (
    <Button
      type="text"
      shape="circle"
      icon={icon}
      aria-label={label}
      title={label}
      disabled={busy !== null}
      onClick={onClick}
    />
  );
  const action = (label: string, icon: ReactElement, name: RunAction) =>
    button(label, busy === name ? <Spin size="small" /> : icon, () => void act(name));
  const running = run.status === 'RUNNING';
  const failed = run.status === 'FAILED';
  return (
    <div className="row-actions run-actions">
      {failed && (
        <span className="run-failed" role="img" aria-label="Simulation failed" title="Simulation failed">
          <CrossIcon />
        </span>
      )}
      {running && button('Simulation is processing, show details', <Spin size="small" />, onWatch)}
      {/* A failed run without answers has nothing to show, one under way grows on its page. */}
      {(failed ? answered : !running || answered) && (
        <Button
          type="text"
          shape="circle"
          icon={<ViewIcon />}
          aria-label="View responses"
          title="View responses"
          disabled={!running && !ready}
          onClick={() => void navigate(paths.responses(run.surveyId, run.simulationId))}
        />
      )}
      {(!failed || answered) && (
        <Button
          type="text"
          shape="circle"
          icon={<DownloadIcon />}
          aria-label="Download responses"
          title={ready ? 'Download responses' : 'Available when simulation completes'}
          disabled={!ready}
          onClick={() => void download(run)}
        />
      )}
      {button('Runs of this survey', <HistoryIcon />, onHistory)}
      {control && canPause(run.status) && action('Pause', <PauseIcon />, 'pause')}
      {control && canResume(run.status) && action('Resume', <ResumeIcon />, 'resume')}
      {control && canStop(run.status) && button('Stop', <StopIcon />, () => setStopping(true))}
      {control &&
        canContinue(run) &&
        action(`Continue (${count(openOf(run))} open)`, <ResumeIcon />, 'continue')}
      {control && canRetry(run) && action('Retry Failed', <RetryIcon />, 'retry')}
      {stopping && <StopRun run={run} onStop={() => act('stop')} onClose={() => setStopping(false)} />}
    </div>
  );
}
