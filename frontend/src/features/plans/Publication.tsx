import { useState } from 'react';
import { App, Button } from 'antd';
import { Link } from 'react-router';
import { api, failed } from '@/api/client';
import type { StudyPlan } from '@/runs/plan/form';
import { CopyField } from '@/ui/Copy';
import { ConfirmDialog } from '@/ui/Dialog';
import { Panel } from '@/ui/Page';

/** The public page of a frozen plan. */
export function Publication({ plan, onChange }: { plan: StudyPlan; onChange: (plan: StudyPlan) => unknown }) {
  const { message } = App.useApp();
  const [busy, setBusy] = useState(false);
  const [asked, setAsked] = useState(false);
  const params = { path: { planId: plan.planId } };
  const publish = async () => {
    setBusy(true);
    try {
      await onChange(await api.post('/api/plans/{planId}/publication', { params }));
    } catch (failure) {
      void message.error(failed('Failed to publish the plan', failure));
    }
    setBusy(false);
  };
  const withdraw = async () => {
    try {
      await api.delete('/api/plans/{planId}/publication', { params });
      await onChange({ ...plan, link: null });
      void message.success('The public page is withdrawn');
    } catch (failure) {
      void message.error(failed('Failed to withdraw the page', failure));
    }
  };
  return (
    <Panel title="Public page">
      <p className="plan-note">
        All who have its address read the plan, the questions and design of the survey, and the deviations,
        without an account. It has names only if you wrote them into the plan.
      </p>
      {plan.link == null ? (
        <Button loading={busy} onClick={() => void publish()}>
          Publish
        </Button>
      ) : (
        <>
          <CopyField label="Address" text={location.origin + plan.link} />
          <div className="plan-actions row">
            <Link to={plan.link} target="_blank">
              Open the public page
            </Link>
            <Button size="small" danger onClick={() => setAsked(true)}>
              Withdraw…
            </Button>
          </div>
        </>
      )}
      {asked && (
        <ConfirmDialog
          title="Withdraw the public page?"
          action="Withdraw"
          onConfirm={withdraw}
          onClose={() => setAsked(false)}
        >
          Its address leads nowhere from now on. Published again, the plan has another address.
        </ConfirmDialog>
      )}
    </Panel>
  );
}
