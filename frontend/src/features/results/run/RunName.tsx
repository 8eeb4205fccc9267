import { useState } from 'react';
import { Button } from 'antd';
import { api } from '@/api/client';
import type { Simulation } from '@/api/types';
import { NameDialog, type Names } from '@/runs/NameDialog';
import { useControl } from '@/runs/useControl';
import { EditIcon } from '@/ui/icons';

/** The name of the run and its note; those who may control the run may change both. */
export function RunName({ run, onChange }: { run: Simulation; onChange: () => void }) {
  const [editing, setEditing] = useState(false);
  const control = useControl(run);
  const save = async (body: Names) => {
    const params = { path: { simulationId: run.simulationId } };
    await api.patch('/api/simulations/{simulationId}', { params, body });
    onChange();
  };
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
      {editing && (
        <NameDialog
          of={run}
          failure="Failed to name simulation"
          onSave={save}
          onClose={() => setEditing(false)}
        />
      )}
    </>
  );
}
