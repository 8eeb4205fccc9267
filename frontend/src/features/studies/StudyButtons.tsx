import { useState } from 'react';
import { App, Button } from 'antd';
import { api, failed } from '@/api/client';
import { refresh } from '@/api/hooks';
import { askedOf, canContinue, canPause, canResume, canRetry, canStop, openOf } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { NameDialog, type Names } from '@/runs/NameDialog';
import type { Study } from '@/runs/start/cells';
import { useControl } from '@/runs/useControl';
import { retryRefused } from '@/runs/useRunActions';
import { ConfirmDialog } from '@/ui/Dialog';
import { count } from '@/ui/format';

type Action = 'pause' | 'resume' | 'stop' | 'continue' | 'retry-failed';

/** What can be done with all runs of a study together, by those who may. */
export function StudyButtons({ study, onChange }: { study: Study; onChange: (study: Study) => unknown }) {
  const { message } = App.useApp();
  const control = useControl(study.runs[0]);
  const [busy, setBusy] = useState<Action | null>(null);
  const [asked, setAsked] = useState<'stop' | 'name' | null>(null);
  const path = { studyId: study.studyId };
  const act = async (action: Action) => {
    setBusy(action);
    try {
      const changed = await api.post(`/api/studies/{studyId}/${action}`, { params: { path } });
      await onChange(changed);
      void refresh('/api/simulations');
    } catch (failure) {
      const words =
        action === 'retry-failed' ? retryRefused(failure) : failed(`Failed to ${action} study`, failure);
      void message.error(words);
    }
    setBusy(null);
  };
  const rename = async (body: Names) => {
    await onChange(await api.patch('/api/studies/{studyId}', { params: { path }, body }));
  };
  if (!control) return null;
  const any = (may: (status: Simulation['status']) => boolean) =>
    study.runs.some(({ status }) => may(status));
  const stopped = study.runs.filter(canContinue);
  const withFailures = study.runs.filter(canRetry);
  const button = (action: Action) => ({
    loading: busy === action,
    disabled: busy !== null,
    onClick: () => void act(action),
  });
  return (
    <>
      {any(canPause) && <Button {...button('pause')}>Pause all</Button>}
      {any(canResume) && (
        <Button {...button('resume')} type="primary">
          Resume all
        </Button>
      )}
      {any(canStop) && (
        <Button danger disabled={busy !== null} onClick={() => setAsked('stop')}>
          Stop all…
        </Button>
      )}
      {stopped.length > 0 && (
        <Button {...button('continue')} type="primary">
          Continue all ({count(sum(stopped, openOf))} open)
        </Button>
      )}
      {withFailures.length > 0 && (
        <Button {...button('retry-failed')} type="primary">
          {busy === 'retry-failed'
            ? 'Retrying...'
            : `Retry ${count(sum(withFailures, (run) => run.failedRequests))} failed`}
        </Button>
      )}
      <Button onClick={() => setAsked('name')}>Rename…</Button>
      {asked === 'stop' && (
        <ConfirmDialog
          title="Stop all runs of this study?"
          action="Stop"
          onConfirm={() => act('stop')}
          onClose={() => setAsked(null)}
        >
          {count(study.successfulRequests)} of {count(askedOf(study))} answered; the rest is given up,{' '}
          {count(openOf(study))} credits come back. Continue asks the rest later, for as many credits.
        </ConfirmDialog>
      )}
      {asked === 'name' && (
        <NameDialog
          of={study}
          failure="Failed to name study"
          onSave={rename}
          onClose={() => setAsked(null)}
        />
      )}
    </>
  );
}

const sum = (runs: readonly Simulation[], of: (run: Simulation) => number) =>
  runs.reduce((total, run) => total + of(run), 0);
