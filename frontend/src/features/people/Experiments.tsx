import { useState } from 'react';
import { Select } from 'antd';
import type { Compared } from '@/api/types';
import { ArmEffects } from './ArmEffects';

type NodeEffects = Compared['experiments'][number];
type Unmatched = Compared['file']['arms']['unmatched'][number];

/** The effects of each random node whose arms the file says, one node at a time, and why others have none. */
export function Experiments({
  of,
  unmatched,
}: {
  of: readonly NodeEffects[];
  unmatched: readonly Unmatched[];
}) {
  const [chosen, setChosen] = useState<string | null>(null);
  const shown = of.find(({ node }) => node === chosen) ?? of.find(({ arms }) => arms != null) ?? of[0];
  const missing = unmatched.filter(({ arms }) => arms.length > 0);
  return (
    <>
      {shown !== undefined && of.length > 1 && (
        <div className="people-sample">
          <label htmlFor="people-node">Random node</label>
          <Select
            id="people-node"
            className="people-sample-select"
            value={shown.node}
            options={of.map(({ node, arms }) => ({
              value: node,
              label: arms == null ? `${node} (no effects)` : `${node}, ${arms.effects.length} effects`,
            }))}
            onChange={setChosen}
          />
        </div>
      )}
      {shown?.arms != null && <ArmEffects key={shown.node} of={shown.arms} />}
      {shown?.reason != null && (
        <p className="muted">
          <code>{shown.node}</code> has no effects: {shown.reason}.
        </p>
      )}
      {missing.map(({ node, reason }) => (
        <p key={node} className="muted">
          <code>{node}</code> has no effects: {reason}. Choose one under “How the file was read”.
        </p>
      ))}
    </>
  );
}
