import { memo, type KeyboardEvent, type ReactNode } from 'react';
import { Button } from 'antd';
import {
  DragDropContext,
  Draggable,
  Droppable,
  useKeyboardSensor,
  useTouchSensor,
} from 'react-beautiful-dnd';
import type { Question } from '@/api/types';
import { isAsked, questionTypes, typeName } from '@/question-types/questionTypes';
import { DeleteIcon, DuplicateIcon, EditIcon, PlusIcon } from '@/ui/icons';
import { isKey } from '@/ui/keys';
import { Piped } from '@/ui/Piped';
import { useMouseSensor } from './mouseSensor';

/** An action at a card. */
export type CardAction =
  | { do: 'edit' | 'duplicate' | 'insert'; question: Question }
  /** Once it is confirmed, or at once. */
  | { do: 'delete' | 'remove'; question: Question }
  /** Up (-1) or down (1). */
  | { do: 'move' | 'look'; question: Question; by: 1 | -1 };

interface CardProps {
  question: Question;
  locked: boolean;
  /** Stays the same function. */
  onAct: (action: CardAction) => void;
}

const sensors = [useMouseSensor, useKeyboardSensor, useTouchSensor];

/** The open form: in the place of a question's card, or as a new question before the one at `index`. */
export interface OpenForm {
  questionId: number | null;
  index: number;
  form: ReactNode;
}

/** Cards that are dragged by mouse or touch, or moved with space and the arrow keys; a locked survey's stay put. */
export function QuestionList({
  questions,
  locked,
  open,
  onAct,
  onReorder,
}: {
  /** The questions in their order. */
  questions: Question[];
  locked: boolean;
  open: OpenForm | null;
  onAct: (action: CardAction) => void;
  onReorder: (questions: Question[]) => void;
}) {
  if (locked) {
    return (
      <ol className="stack list">
        {questions.map((question) => (
          <li key={question.id}>
            <QuestionCard question={question} locked onAct={onAct} />
          </li>
        ))}
      </ol>
    );
  }
  const drop = (from: number, to: number | undefined) => {
    const moved = questions[from];
    if (moved === undefined || to === undefined || to === from) return;
    onReorder(questions.toSpliced(from, 1).toSpliced(to, 0, moved));
  };
  const added = open?.questionId === null ? open : null;
  return (
    <DragDropContext
      enableDefaultSensors={false}
      sensors={sensors}
      onDragEnd={({ source, destination }) => drop(source.index, destination?.index)}
    >
      <Droppable droppableId="questions">
        {(list) => (
          <div ref={list.innerRef} {...list.droppableProps} className="stack list">
            {questions.map((question, index) => [
              added?.index === index && <div key="new">{added.form}</div>,
              <Slot
                key={question.id}
                question={question}
                index={index}
                locked={false}
                form={open?.questionId === question.id ? open.form : null}
                onAct={onAct}
              />,
            ])}
            {added !== null && added.index >= questions.length && <div key="new">{added.form}</div>}
            {list.placeholder}
          </div>
        )}
      </Droppable>
    </DragDropContext>
  );
}

/** Drawn anew only if its question says something else: there may be 500. */
const Slot = memo(
  function Slot({ index, form, ...card }: CardProps & { index: number; form: ReactNode }) {
    const { question } = card;
    return (
      <Draggable
        draggableId={String(question.id)}
        index={index}
        isDragDisabled={form !== null}
        // Drags start on interactive elements too: the handle is a button.
        disableInteractiveElementBlocking
      >
        {(drag, { isDragging }) => (
          <div
            ref={drag.innerRef}
            {...drag.draggableProps}
            id={`question-${question.id}`}
            className={isDragging ? 'question-slot question-dragged' : 'question-slot'}
          >
            {form ?? (
              <QuestionCard
                {...card}
                handle={
                  <button
                    type="button"
                    className="question-handle grip"
                    aria-label={`Move question ${question.order}`}
                    title="Drag, or Alt+↑ and Alt+↓"
                    {...drag.dragHandleProps}
                  >
                    ⠿
                  </button>
                }
              />
            )}
            <button
              type="button"
              className="question-insert"
              // By keyboard: A at the card.
              tabIndex={-1}
              aria-label={`Insert after question ${question.order}`}
              title="Insert here (A)"
              onClick={() => card.onAct({ do: 'insert', question })}
            >
              <PlusIcon />
            </button>
          </div>
        )}
      </Draggable>
    );
  },
  (before, after) =>
    before.index === after.index &&
    before.form === after.form &&
    before.onAct === after.onAct &&
    (before.question === after.question ||
      JSON.stringify(before.question) === JSON.stringify(after.question)),
);

function QuestionCard({ question, locked, handle, onAct }: CardProps & { handle?: ReactNode }) {
  const edit = `Edit question ${question.order}`;
  const copy = `Duplicate question ${question.order}`;
  const remove = `Delete question ${question.order}`;
  const press = (event: KeyboardEvent) => {
    // Keys that move a card which was lifted are taken.
    if (locked || event.defaultPrevented) return;
    const action = actionOf(event, question);
    if (action === null) return;
    event.preventDefault();
    event.stopPropagation();
    onAct(action);
  };
  return (
    <article className="question-card gap-4 card" onKeyDown={press}>
      {handle}
      <div
        className={locked ? 'question-body' : 'question-body question-body-open'}
        // By keyboard: the button for it. Who selects a text wants to copy it.
        onClick={() => {
          if (!locked && getSelection()?.isCollapsed !== false) onAct({ do: 'edit', question });
        }}
      >
        <h2>
          <Piped text={question.text} />
        </h2>
        <p className="muted">{questionTypes[question.questionType].summaryOf(question)}</p>
        <dl className="question-facts row muted tiny">
          <div>
            <dt>Type</dt>
            <dd>{typeName(question.questionType)}</dd>
          </div>
          {isAsked(question.questionType) && (
            <div>
              <dt>Required</dt>
              <dd>{question.required ? 'Yes' : 'No'}</dd>
            </div>
          )}
          <div>
            <dt>Order</dt>
            <dd>{question.order}</dd>
          </div>
        </dl>
      </div>
      <div className="question-actions">
        <Button
          type="text"
          shape="circle"
          className="question-edit"
          icon={<EditIcon />}
          aria-label={edit}
          title={edit}
          disabled={locked}
          onClick={() => onAct({ do: 'edit', question })}
        />
        {!locked && (
          <Button
            type="text"
            shape="circle"
            icon={<DuplicateIcon />}
            aria-label={copy}
            title={copy}
            onClick={() => onAct({ do: 'duplicate', question })}
          />
        )}
        <Button
          type="text"
          shape="circle"
          danger
          className="question-delete"
          icon={<DeleteIcon />}
          aria-label={remove}
          title={remove}
          disabled={locked}
          onClick={() => onAct({ do: 'delete', question })}
        />
      </div>
    </article>
  );
}

/** The action of a key at a card. */
function actionOf(event: KeyboardEvent, question: Question): CardAction | null {
  if (isKey(event, 'previousCard')) return { do: 'look', question, by: -1 };
  if (isKey(event, 'nextCard')) return { do: 'look', question, by: 1 };
  if (isKey(event, 'moveCardUp')) return { do: 'move', question, by: -1 };
  if (isKey(event, 'moveCardDown')) return { do: 'move', question, by: 1 };
  if (isKey(event, 'duplicateQuestion')) return { do: 'duplicate', question };
  if (isKey(event, 'insertQuestion')) return { do: 'insert', question };
  return isKey(event, 'deleteQuestion') ? { do: 'remove', question } : null;
}
