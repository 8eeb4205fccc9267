import type { KeyboardEvent } from 'react';
import type { DraggableProvidedDragHandleProps } from 'react-beautiful-dnd';
import type { FlowNode } from '@/api/design';
import { isKey } from '@/ui/keys';
import { BlockBody } from './BlockBody';
import { handleId, useFlow } from './context';
import { EndBody, GroupBody, LoopBody, SetBody } from './bodies';
import { IfBody } from './IfBody';
import { isBlock, isEnd, isIf, isLoop, isRandom, isSet, kindOf, titleOf } from './nodes';
import { NodeMenu } from './NodeMenu';
import { NodeName } from './NodeName';
import { RandomBody } from './RandomBody';
import { nudge, remove, splitPlace } from './tree';

export interface NodeProps {
  node: FlowNode;
  /** Its place. */
  at: string;
  /** The largest number of twins who get here. */
  share: number;
  onArms: (about: { block: string }) => void;
}

/** A node of the flow: what it is, what it says, and what was found about it. */
export function NodeCard({
  handle,
  ...props
}: NodeProps & { handle: DraggableProvidedDragHandleProps | null }) {
  const { node, at } = props;
  const { readOnly, findings, design, change, focus } = useFlow();
  const title = titleOf(node);
  const found = findings.get(at) ?? [];
  const isBad = found.some(({ severity }) => severity === 'error');
  const press = (event: KeyboardEvent) => {
    // Keys that move a node which was lifted are taken.
    if (readOnly || event.defaultPrevented) return;
    const way = isKey(event, 'moveCardUp') ? -1 : isKey(event, 'moveCardDown') ? 1 : null;
    if (way !== null) {
      const moved = nudge(design, at, way);
      if (moved !== null) {
        change(moved.design);
        focus(moved.at);
      }
    } else if (isKey(event, 'deleteQuestion')) {
      change(remove(design, at));
      const { list, index } = splitPlace(at);
      focus(`${list}/${Math.max(0, index - 1)}`);
    } else if (isKey(event, 'nextCard') || isKey(event, 'previousCard')) {
      const handles = [...document.querySelectorAll<HTMLElement>('.flow-handle')];
      const place = handles.findIndex(({ id }) => id === handleId(at));
      handles[place + (isKey(event, 'nextCard') ? 1 : -1)]?.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <article
      className={`flow-card box long-word flow-${kindOf(node)}${found.length > 0 ? (isBad ? ' flow-bad' : ' flow-doubtful') : ''}`}
      aria-label={title}
    >
      <header className="flow-head line">
        {!readOnly && (
          <button
            type="button"
            {...handle}
            id={handleId(at)}
            className="flow-handle grip"
            aria-label={`Move ${title}`}
            title="Drag, or Alt+↑ and Alt+↓; Del removes"
            onKeyDown={press}
          >
            ⠿
          </button>
        )}
        <NodeName node={node} />
        {!readOnly && <NodeMenu node={node} at={at} onArms={props.onArms} />}
      </header>
      <Body {...props} />
      {found.length > 0 && (
        <ul className="flow-findings">
          {found.map(({ severity, pointer, code, message }) => (
            <li key={code + pointer} className={severity === 'error' ? 'flow-error' : 'flow-warning'}>
              <span className="flow-severity">{severity === 'error' ? 'Error' : 'Warning'}</span> {message}
            </li>
          ))}
        </ul>
      )}
    </article>
  );
}

function Body({ node, ...rest }: NodeProps) {
  if (isBlock(node)) return <BlockBody node={node} at={rest.at} />;
  if (isRandom(node)) return <RandomBody node={node} {...rest} />;
  if (isIf(node)) return <IfBody node={node} {...rest} />;
  if (isSet(node)) return <SetBody node={node} at={rest.at} />;
  if (isLoop(node)) return <LoopBody node={node} {...rest} />;
  if (isEnd(node)) return <EndBody node={node} at={rest.at} />;
  return <GroupBody node={node} {...rest} />;
}
