import type { ReactNode } from 'react';
import { Button } from 'antd';
import { canContinue, canPause, canResume, canRetry, canStop, openOf } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { count } from '@/ui/format';
import { PauseIcon, ResumeIcon, RetryIcon, StopIcon } from '@/ui/icons';

/** Something that can be done to one run, or to all runs of a study. */
export interface RunControl {
  action: 'pause' | 'resume' | 'stop' | 'continue' | 'retry';
  words: string;
  /** Instead of the words while it is under way. */
  busyWords?: string;
  /** The words in the row of a table. */
  rowWords: string;
  Icon: () => ReactNode;
  /** Whether the action lets a run go on. */
  isMain: boolean;
  /** Whether the action needs a confirmation. */
  asks: boolean;
}

/** Lists the controls that the state of runs allows; `which` stands after each name, as ` all` for a study. */
export function controlsOf(runs: readonly Simulation[], which = ''): RunControl[] {
  const sum = (of: (run: Simulation) => number, may: (run: Simulation) => boolean) =>
    count(runs.filter(may).reduce((total, run) => total + of(run), 0));
  const plain = { isMain: false, asks: false };
  const main = { isMain: true, asks: false };
  const named = (name: string) => ({ words: `${name}${which}`, rowWords: `${name}${which}` });
  const controls: (RunControl & { may: (run: Simulation) => boolean })[] = [
    { action: 'pause', ...named('Pause'), Icon: PauseIcon, ...plain, may: ({ status }) => canPause(status) },
    {
      action: 'resume',
      ...named('Resume'),
      Icon: ResumeIcon,
      ...main,
      may: ({ status }) => canResume(status),
    },
    {
      action: 'stop',
      ...named('Stop'),
      Icon: StopIcon,
      isMain: false,
      asks: true,
      may: ({ status }) => canStop(status),
    },
    {
      action: 'continue',
      words: `Continue${which} (${sum(openOf, canContinue)} open)`,
      rowWords: `Continue${which} (${sum(openOf, canContinue)} open)`,
      Icon: ResumeIcon,
      ...main,
      may: canContinue,
    },
    {
      action: 'retry',
      words: `Retry ${sum((run) => run.failedRequests, canRetry)} failed`,
      busyWords: 'Retrying...',
      rowWords: 'Retry Failed',
      Icon: RetryIcon,
      ...main,
      may: canRetry,
    },
  ];
  return controls.filter(({ may }) => runs.some(may));
}

/** A control as a button with its words. */
export function ControlButton({
  control: { action, words, busyWords, isMain, asks },
  busy,
  onClick,
}: {
  control: RunControl;
  /** The action that is under way. */
  busy: string | null;
  onClick: () => void;
}) {
  const isBusy = busy === action;
  return (
    <Button
      type={isMain ? 'primary' : 'default'}
      danger={asks}
      loading={isBusy && !asks}
      disabled={busy !== null}
      onClick={onClick}
    >
      {isBusy ? (busyWords ?? words) : asks ? `${words}…` : words}
    </Button>
  );
}
