import type { FlowNode } from '@/api/design';
import { useFlow } from './context';
import { inWords } from './conditions';
import { isBlock, isIf, isRandom, kindOf, kinds } from './nodes';
import { OwnName } from './OwnName';

/** The kind of a node, and its name, where it has one. */
export function NodeName({ node }: { node: FlowNode }) {
  const { readOnly, rename } = useFlow();
  const kind = kinds.find((one) => one.kind === kindOf(node))?.name ?? '';
  const name = isBlock(node) ? node.block : isRandom(node) ? node.random : null;
  const named = async (to: string) => {
    if (isBlock(node)) return rename({ kind: 'block', from: node.block, to, questions: node.questions });
    return isRandom(node) ? rename({ kind: 'field', from: node.random, to }) : null;
  };
  return (
    <div className="flow-name row">
      <span className="muted small">{kind}</span>
      {name !== null &&
        (readOnly ? (
          <strong>{name}</strong>
        ) : (
          <OwnName label={`Name of the ${kind.toLowerCase()}`} value={name} onRename={named} />
        ))}
      {isIf(node) && <span className="flow-words">{inWords(node.if)}</span>}
    </div>
  );
}
