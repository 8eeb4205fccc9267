import { Button, Dropdown } from 'antd';
import { Draggable, Droppable } from 'react-beautiful-dnd';
import type { FlowNode } from '@/api/design';
import { useFlow } from './context';
import { kinds, newNode, type Kind } from './nodes';
import { NodeCard } from './NodeCard';
import { insert } from './tree';

/** Nodes one after the other, and a way to add one. */
export function NodeList({
  list,
  label,
  nodes,
  share,
  onArms,
}: {
  /** Its place. */
  list: string;
  label: string;
  nodes: readonly FlowNode[];
  /** The largest number of twins who get here. */
  share: number;
  onArms: (about: { block: string }) => void;
}) {
  const { readOnly } = useFlow();
  return (
    <div className="flow-list">
      <Droppable droppableId={list} type={list} isDropDisabled={readOnly}>
        {(drop) => (
          <ol ref={drop.innerRef} {...drop.droppableProps} className="stack list" aria-label={label}>
            {nodes.map((node, index) => {
              const at = `${list}/${index}`;
              return (
                <Draggable
                  key={at}
                  draggableId={at}
                  index={index}
                  isDragDisabled={readOnly}
                  // The handle is a button.
                  disableInteractiveElementBlocking
                >
                  {(drag, { isDragging }) => (
                    <li
                      ref={drag.innerRef}
                      {...drag.draggableProps}
                      className={isDragging ? 'flow-slot flow-dragged' : 'flow-slot'}
                    >
                      <NodeCard
                        node={node}
                        at={at}
                        share={share}
                        handle={drag.dragHandleProps}
                        onArms={onArms}
                      />
                    </li>
                  )}
                </Draggable>
              );
            })}
            {drop.placeholder}
          </ol>
        )}
      </Droppable>
      {nodes.length === 0 && readOnly && <p className="muted">Nothing: the twin goes on.</p>}
      {!readOnly && <AddNode list={list} label={label} index={nodes.length} />}
    </div>
  );
}

function AddNode({ list, label, index }: { list: string; label: string; index: number }) {
  const { design, change, focus } = useFlow();
  const add = (kind: Kind) => {
    change(insert(design, list, index, newNode(kind, design)));
    focus(`${list}/${index}`);
  };
  return (
    <Dropdown
      trigger={['click']}
      autoFocus
      menu={{
        onClick: ({ key }) => add(key as Kind),
        items: kinds.map(({ kind, name, what }) => ({
          key: kind,
          label: (
            <>
              {name} <span className="muted">{what}</span>
            </>
          ),
        })),
      }}
    >
      <Button type="dashed" size="small" className="flow-add" aria-label={`Add to: ${label}`}>
        + Add
      </Button>
    </Dropdown>
  );
}
