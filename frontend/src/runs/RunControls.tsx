import { useState, type ReactElement } from 'react';
import { Button, Spin } from 'antd';
import { canContinue, canPause, canResume, canRetry, canStop, openOf } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { count } from '@/ui/format';
import { PauseIcon, ResumeIcon, RetryIcon, StopIcon } from '@/ui/icons';
import { StopRun } from './StopRun';
import { useRunActions, type RunAction } from './useRunActions';

/** What can be done to a run in the row of a table, in its state. Stop asks first. */
export function RunControls({
  run,
  icons = false,
  onChange,
}: {
  run: Simulation;
  /** Icons instead of words, beside other icons of a row. */
  icons?: boolean;
  onChange?: () => void;
}) {
  const { busy, act } = useRunActions(run, () => onChange?.());
  const [stopping, setStopping] = useState(false);
  const button = (words: string, icon: ReactElement, action: RunAction) => {
    const asks = action === 'stop';
    const shared = {
      disabled: busy !== null,
      onClick: () => (asks ? setStopping(true) : void act(action)),
    };
    if (icons) {
      return (
        <Button
          {...shared}
          type="text"
          shape="circle"
          icon={busy === action ? <Spin size="small" /> : icon}
          aria-label={words}
          title={words}
        />
      );
    }
    return (
      <Button
        {...shared}
        size="small"
        danger={asks}
        loading={busy === action}
        aria-label={`${words}: ${run.name ?? run.surveyTitle}`}
      >
        {asks ? `${words}…` : words}
      </Button>
    );
  };
  return (
    <>
      {canPause(run.status) && button('Pause', <PauseIcon />, 'pause')}
      {canResume(run.status) && button('Resume', <ResumeIcon />, 'resume')}
      {canStop(run.status) && button('Stop', <StopIcon />, 'stop')}
      {canContinue(run) && button(`Continue (${count(openOf(run))} open)`, <ResumeIcon />, 'continue')}
      {canRetry(run) && button('Retry Failed', <RetryIcon />, 'retry')}
      {stopping && <StopRun run={run} onStop={() => act('stop')} onClose={() => setStopping(false)} />}
    </>
  );
}
