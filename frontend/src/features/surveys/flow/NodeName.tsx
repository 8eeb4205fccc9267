import { Input } from 'antd';
import type { FlowNode } from '@/api/design';
import { useFlow } from './context';
import { inWords } from './conditions';
import { isBlock, isIf, isRandom, kindOf, kinds } from './nodes';
import { put } from './tree';

/** What kind of node it is, and its name, where it has one. */
export function NodeName({ node, at }: { node: FlowNode; at: string }) {
  const { design, readOnly, change } = useFlow();
  const kind = kinds.find((one) => one.kind === kindOf(node))?.name ?? '';
  const name = isBlock(node) ? node.block : isRandom(node) ? node.random : null;
  const rename = (next: string) => {
    if (isBlock(node)) change(put(design, at, { ...node, block: next }), `name ${at}`);
    if (isRandom(node)) change(put(design, at, { ...node, random: next }), `name ${at}`);
  };
  return (
    <div className="flow-name">
      <span className="flow-kind">{kind}</span>
      {name !== null &&
        (readOnly ? (
          <strong>{name}</strong>
        ) : (
          <Input
            variant="borderless"
            size="small"
            className="flow-own-name"
            aria-label={`Name of the ${kind.toLowerCase()}`}
            maxLength={63}
            spellCheck={false}
            autoComplete="off"
            value={name}
            onChange={(event) => rename(event.target.value)}
          />
        ))}
      {isIf(node) && <span className="flow-words">{inWords(node.if)}</span>}
    </div>
  );
}
