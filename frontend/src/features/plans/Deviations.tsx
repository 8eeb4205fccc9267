import { useId, useState } from 'react';
import { Alert, Button, Form, Input } from 'antd';
import { api, failed } from '@/api/client';
import type { Deviation, StudyPlan } from '@/runs/plan/form';
import { fieldWords } from '@/runs/plan/words';
import type { Column } from '@/ui/DataTable';
import { Dialog } from '@/ui/Dialog';
import { Panel } from '@/ui/Page';
import { DeviationTable } from './DeviationTable';

/** Deviations from a frozen plan. The owner of the plan adds a reason to each, once. */
export function Deviations({ plan, onChange }: { plan: StudyPlan; onChange: (plan: StudyPlan) => unknown }) {
  const [asked, setAsked] = useState<Deviation | null>(null);
  const reasonOf = (deviation: Deviation) => {
    if (deviation.reason != null || !plan.isOwner) return deviation.reason ?? '–';
    return (
      <Button
        size="small"
        aria-label={`Add a reason for ${fieldWords(deviation)}`}
        onClick={() => setAsked(deviation)}
      >
        Add a reason…
      </Button>
    );
  };
  return (
    <Panel title="Deviations">
      <p className="plan-note">
        The program notes every difference between the frozen plan and what is done. Nothing of this list can
        be changed or removed.
      </p>
      <DeviationTable rows={plan.deviations} further={[byWhom]} reasonOf={reasonOf} />
      {asked !== null && (
        <ReasonDialog plan={plan} deviation={asked} onChange={onChange} onClose={() => setAsked(null)} />
      )}
    </Panel>
  );
}

const byWhom: Column<Deviation> = { title: 'By', key: 'who', render: (_, { who }) => who ?? '–' };

function ReasonDialog({
  plan,
  deviation,
  onChange,
  onClose,
}: {
  plan: StudyPlan;
  deviation: Deviation;
  onChange: (plan: StudyPlan) => unknown;
  onClose: () => void;
}) {
  const form = useId();
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const give = async ({ reason }: { reason: string }) => {
    setBusy(true);
    setError(null);
    try {
      const path = { planId: plan.planId, deviationId: deviation.id };
      const params = { path };
      await onChange(
        await api.patch('/api/plans/{planId}/deviations/{deviationId}', { params, body: { reason } }),
      );
      onClose();
    } catch (failure) {
      setError(failed('Failed to add the reason', failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title={`Why: ${fieldWords(deviation)}`}
      onClose={onClose}
      size="sm"
      busy={busy}
      action={{ text: 'Add', form }}
    >
      <Form id={form} layout="vertical" onFinish={(values: { reason: string }) => void give(values)}>
        <Form.Item
          label="Reason"
          name="reason"
          extra="It is added once and cannot be changed."
          rules={[{ required: true, whitespace: true, message: 'Say why' }]}
        >
          <Input.TextArea rows={3} maxLength={2000} />
        </Form.Item>
      </Form>
      {error !== null && <Alert type="error" title={error} />}
    </Dialog>
  );
}
