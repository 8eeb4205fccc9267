import { Select } from 'antd';
import type { Simulation } from '@/api/types';
import { cellName } from '@/runs/start/cells';

/** One of some runs of a study, by what sets it apart. */
export function RunChoice({
  id,
  label,
  value,
  among,
  runs,
  onChange,
}: {
  id: string;
  label: string;
  value: string;
  /** Ids of those that can be chosen; all without it. */
  among?: readonly string[];
  /** The runs of the study. */
  runs: readonly Simulation[];
  onChange: (simulationId: string) => void;
}) {
  const offered = runs.filter(({ simulationId }) => among?.includes(simulationId) ?? true);
  return (
    <div>
      <label htmlFor={id} className="study-label">
        {label}
      </label>
      <Select
        id={id}
        className="study-choice"
        value={value}
        options={offered.map((run) => ({ value: run.simulationId, label: cellName(run, runs) }))}
        onChange={onChange}
      />
    </div>
  );
}
