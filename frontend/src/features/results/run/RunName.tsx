import { useId, useState } from 'react';
import { App, Button, Form, Input } from 'antd';
import { api, messageOf } from '@/api/client';
import type { Simulation } from '@/api/types';
import { useControl } from '@/runs/useControl';
import { Dialog } from '@/ui/Dialog';
import { EditIcon } from '@/ui/icons';

/** What the run is called, and what is noted of it; who may control it may change both. */
export function RunName({ run, onChange }: { run: Simulation; onChange: () => void }) {
  const [editing, setEditing] = useState(false);
  const control = useControl(run);
  return (
    <>
      {run.surveyTitle}
      {run.name != null && <strong> · {run.name}</strong>}{' '}
      {control && (
        <Button
          type="text"
          size="small"
          icon={<EditIcon />}
          aria-label="Name and note of this simulation"
          title="Name and note"
          onClick={() => setEditing(true)}
        />
      )}
      {run.note != null && <span className="run-note">{run.note}</span>}
      {editing && <NameDialog run={run} onChange={onChange} onClose={() => setEditing(false)} />}
    </>
  );
}

function NameDialog({
  run,
  onChange,
  onClose,
}: {
  run: Simulation;
  onChange: () => void;
  onClose: () => void;
}) {
  const { message } = App.useApp();
  const form = useId();
  const [busy, setBusy] = useState(false);
  const save = async (body: { name?: string; note?: string }) => {
    setBusy(true);
    try {
      await api.patch('/api/simulations/{simulationId}', {
        params: { path: { simulationId: run.simulationId } },
        body: { name: body.name ?? '', note: body.note ?? '' },
      });
      onChange();
      onClose();
    } catch (error) {
      void message.error(messageOf(error, 'Failed to name simulation'));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Name and note"
      onClose={onClose}
      busy={busy}
      action={{ text: 'Save', busyText: 'Saving...', form }}
    >
      <Form
        id={form}
        layout="vertical"
        initialValues={{ name: run.name ?? '', note: run.note ?? '' }}
        onFinish={(values: { name?: string; note?: string }) => void save(values)}
      >
        <Form.Item name="name" label="Name">
          <Input maxLength={120} placeholder="Pilot of the wording" />
        </Form.Item>
        <Form.Item name="note" label="Note">
          <Input.TextArea maxLength={2000} rows={4} />
        </Form.Item>
      </Form>
    </Dialog>
  );
}
