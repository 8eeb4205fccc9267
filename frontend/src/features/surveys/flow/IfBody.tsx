import type { If } from '@/api/design';
import { ConditionEditor } from './ConditionEditor';
import { useFlow } from './context';
import type { NodeProps } from './NodeCard';
import { NodeList } from './NodeList';
import { put } from './tree';

/** A condition, and what follows where it holds and where it does not. */
export function IfBody({ node, at, share, onArms }: Omit<NodeProps, 'node'> & { node: If }) {
  const { design, readOnly, change, names } = useFlow();
  return (
    <div className="flow-body stack gap-3">
      {!readOnly && (
        <ConditionEditor
          label="Condition"
          value={node.if}
          names={names}
          onChange={(condition, key) =>
            change(
              put(design, at, { ...node, if: condition }),
              key === undefined ? undefined : `${key} ${at}`,
            )
          }
        />
      )}
      <div className="flow-branch stack gap-2">
        <p aria-hidden="true">then</p>
        <NodeList list={`${at}/then`} label="Then" nodes={node.then} share={share} onArms={onArms} />
      </div>
      <div className="flow-branch stack gap-2">
        <p aria-hidden="true">else</p>
        <NodeList list={`${at}/else`} label="Else" nodes={node.else ?? []} share={share} onArms={onArms} />
      </div>
    </div>
  );
}
