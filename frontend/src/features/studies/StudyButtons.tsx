import { useState } from 'react';
import { App, Button } from 'antd';
import { api, failed } from '@/api/client';
import { refresh } from '@/api/hooks';
import { askedOf, openOf } from '@/api/runs';
import { ControlButton, controlsOf, type RunControl } from '@/runs/controls';
import { NameDialog, type Names } from '@/runs/NameDialog';
import type { Study } from '@/runs/start/cells';
import { useControl } from '@/runs/useControl';
import { retryRefused } from '@/runs/useRunActions';
import { ConfirmDialog } from '@/ui/Dialog';
import { count } from '@/ui/format';

/** The actions on all runs of a study together, for those who may control them. */
export function StudyButtons({ study, onChange }: { study: Study; onChange: (study: Study) => unknown }) {
  const { message } = App.useApp();
  const control = useControl(study.runs[0]);
  const [busy, setBusy] = useState<RunControl['action'] | null>(null);
  const [asked, setAsked] = useState<'stop' | 'name' | null>(null);
  const path = { studyId: study.studyId };
  const act = async (action: RunControl['action']) => {
    setBusy(action);
    try {
      const call = action === 'retry' ? 'retry-failed' : action;
      const changed = await api.post(`/api/studies/{studyId}/${call}`, { params: { path } });
      await onChange(changed);
      void refresh('/api/simulations');
    } catch (failure) {
      const words = action === 'retry' ? retryRefused(failure) : failed(`Failed to ${action} study`, failure);
      void message.error(words);
    }
    setBusy(null);
  };
  const rename = async (body: Names) => {
    await onChange(await api.patch('/api/studies/{studyId}', { params: { path }, body }));
  };
  if (!control) return null;
  return (
    <>
      {controlsOf(study.runs, ' all').map((control) => (
        <ControlButton
          key={control.action}
          control={control}
          busy={busy}
          onClick={() => (control.asks ? setAsked('stop') : void act(control.action))}
        />
      ))}
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
