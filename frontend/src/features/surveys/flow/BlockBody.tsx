import type { KeyboardEvent } from 'react';
import { Button, Checkbox, Dropdown, Select } from 'antd';
import { Draggable, Droppable } from 'react-beautiful-dnd';
import type { Block } from '@/api/design';
import { MoreIcon } from '@/ui/icons';
import { isKey } from '@/ui/keys';
import { useFlow } from './context';
import { placed } from './nodes';
import { Orders } from './Orders';
import { QuestionFacts } from './QuestionFacts';
import { blocksOf, moveQuestion, put, withQuestions } from './tree';

/** The questions of a block, in their order. */
export function BlockBody({ node, at }: { node: Block; at: string }) {
  const { design, readOnly, change, questions } = useFlow();
  const there = placed(design);
  const left = questions.filter(({ name }) => !there.has(name));
  return (
    <div className="flow-body stack gap-3">
      <Droppable droppableId={`?${at}`} type="question" isDropDisabled={readOnly}>
        {(drop) => (
          <ol ref={drop.innerRef} {...drop.droppableProps} className="stack list" aria-label="Questions">
            {node.questions.map((name, index) => (
              <Slot key={`${index} ${name}`} block={node} at={at} name={name} index={index} />
            ))}
            {drop.placeholder}
          </ol>
        )}
      </Droppable>
      {node.questions.length === 0 && <p className="muted">No questions yet: move some here.</p>}
      <div className="flow-row row">
        {node.questions.length > 1 && (
          <Orders
            what="questions"
            value={node.order}
            onChange={(order) => change(put(design, at, { ...node, order }))}
          />
        )}
        {!readOnly && left.length > 0 && (
          <Select
            size="small"
            className="flow-pick"
            aria-label={`Add a question to ${node.block}`}
            placeholder="Add a question"
            showSearch
            optionFilterProp="label"
            value={null}
            options={left.map(({ name, text }) => ({ value: name, label: `${name}: ${text}` }))}
            onChange={(name: string | null) => {
              if (name !== null) change(withQuestions(design, at, (names) => [...names, name]));
            }}
          />
        )}
      </div>
    </div>
  );
}

function Slot({ block, at, name, index }: { block: Block; at: string; name: string; index: number }) {
  const { design, readOnly, change, focus, openQuestion, byName } = useFlow();
  const id = (place: number, block = at) => `question${block}/${place}`;
  const to = (block: string, place: number, length: number) => {
    change(moveQuestion(design, name, at, block, place));
    focus(id(Math.min(place, length), block));
  };
  const nudge = (by: 1 | -1) => {
    const next = index + by;
    if (next < 0 || next >= block.questions.length) return;
    change(withQuestions(design, at, (names) => names.toSpliced(index, 1).toSpliced(next, 0, name)));
    focus(id(next));
  };
  const takeOut = () => {
    change(withQuestions(design, at, (names) => names.toSpliced(index, 1)));
    focus(index > 0 ? id(index - 1) : at);
  };
  const press = (event: KeyboardEvent) => {
    if (event.defaultPrevented) return;
    if (isKey(event, 'moveCardUp')) nudge(-1);
    else if (isKey(event, 'moveCardDown')) nudge(1);
    else if (isKey(event, 'deleteQuestion')) takeOut();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const pinned = block.pin?.includes(name) ?? false;
  const pin = (stays: boolean) => {
    const { pin: before = [], ...rest } = block;
    const after = stays ? [...before, name] : before.filter((one) => one !== name);
    change(put(design, at, { ...rest, ...(after.length > 0 && { pin: after }) }));
  };
  const others = blocksOf(design).filter((other) => other.at !== at);
  return (
    <Draggable
      draggableId={`${at}?${name}`}
      index={index}
      isDragDisabled={readOnly}
      disableInteractiveElementBlocking
    >
      {(drag) => (
        <li ref={drag.innerRef} {...drag.draggableProps} className="flow-question line">
          {!readOnly && (
            <button
              type="button"
              {...drag.dragHandleProps}
              id={id(index)}
              className="grip"
              aria-label={`Move question ${name}`}
              title="Drag, or Alt+↑ and Alt+↓; Del takes it out"
              onKeyDown={press}
            >
              ⠿
            </button>
          )}
          <QuestionFacts name={name} />
          {block.order !== undefined && block.order !== 'fixed' && (
            <Checkbox disabled={readOnly} checked={pinned} onChange={(event) => pin(event.target.checked)}>
              <span className="tiny">keeps its place</span>
            </Checkbox>
          )}
          {!readOnly && (
            <Dropdown
              trigger={['click']}
              autoFocus
              menu={{
                onClick: ({ key }) => {
                  const other = others.find((one) => one.at === key);
                  if (key === 'edit') openQuestion(name);
                  else if (key === 'up') nudge(-1);
                  else if (key === 'down') nudge(1);
                  else if (key === 'out') takeOut();
                  else if (other !== undefined)
                    to(other.at, other.block.questions.length, other.block.questions.length);
                },
                items: [
                  { key: 'edit', label: 'Edit the question', disabled: !byName.has(name) },
                  { key: 'up', label: 'Move up', disabled: index === 0 },
                  { key: 'down', label: 'Move down', disabled: index === block.questions.length - 1 },
                  ...others.map((other) => ({ key: other.at, label: `Move to ${other.block.block}` })),
                  { key: 'out', label: 'Take out of the flow', danger: true },
                ],
              }}
            >
              <Button
                type="text"
                size="small"
                shape="circle"
                icon={<MoreIcon />}
                aria-label={`More for question ${name}`}
              />
            </Dropdown>
          )}
        </li>
      )}
    </Draggable>
  );
}
