import type { ReactNode } from 'react';
import { Button } from 'antd';
import {
  DragDropContext,
  Draggable,
  Droppable,
  useKeyboardSensor,
  useTouchSensor,
} from 'react-beautiful-dnd';
import { isChoice, isScale, typeName } from '@/api/questionTypes';
import type { Question } from '@/api/types';
import { DeleteIcon, EditIcon } from '@/ui/icons';
import { useMouseSensor } from './mouseSensor';

interface CardActions {
  locked: boolean;
  onEdit: (question: Question) => void;
  onDelete: (question: Question) => void;
}

const sensors = [useMouseSensor, useKeyboardSensor, useTouchSensor];

/** Cards that are dragged by mouse or touch, or moved with space and the arrow keys; a locked survey's stay put. */
export function QuestionList({
  questions,
  onReorder,
  ...actions
}: CardActions & {
  /** In their order. */
  questions: Question[];
  onReorder: (questions: Question[]) => void;
}) {
  if (actions.locked) {
    return (
      <ol className="question-list">
        {questions.map((question) => (
          <li key={question.id}>
            <QuestionCard question={question} {...actions} />
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
  return (
    <DragDropContext
      enableDefaultSensors={false}
      sensors={sensors}
      onDragEnd={({ source, destination }) => drop(source.index, destination?.index)}
    >
      <Droppable droppableId="questions">
        {(list) => (
          <div ref={list.innerRef} {...list.droppableProps} className="question-list">
            {questions.map((question, index) => (
              <Draggable
                key={question.id}
                draggableId={String(question.id)}
                index={index}
                // Drags start on interactive elements too: the handle is a button.
                disableInteractiveElementBlocking
              >
                {(card, { isDragging }) => (
                  <div
                    ref={card.innerRef}
                    {...card.draggableProps}
                    className={isDragging ? 'question-dragged' : ''}
                  >
                    <QuestionCard
                      question={question}
                      {...actions}
                      handle={
                        <button
                          type="button"
                          className="question-handle"
                          aria-label={`Move question ${question.order}`}
                          {...card.dragHandleProps}
                        >
                          ⠿
                        </button>
                      }
                    />
                  </div>
                )}
              </Draggable>
            ))}
            {list.placeholder}
          </div>
        )}
      </Droppable>
    </DragDropContext>
  );
}

function QuestionCard({
  question,
  locked,
  handle,
  onEdit,
  onDelete,
}: CardActions & { question: Question; handle?: ReactNode }) {
  const edit = `Edit question ${question.order}`;
  const remove = `Delete question ${question.order}`;
  return (
    <article className="question-card">
      {handle}
      <div className="question-body">
        <h2>{question.text}</h2>
        <p className="muted">{summaryOf(question)}</p>
        <dl className="question-facts">
          <div>
            <dt>Type</dt>
            <dd>{typeName(question.questionType)}</dd>
          </div>
          <div>
            <dt>Required</dt>
            <dd>{question.required ? 'Yes' : 'No'}</dd>
          </div>
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
          icon={<EditIcon />}
          aria-label={edit}
          title={edit}
          disabled={locked}
          onClick={() => onEdit(question)}
        />
        <Button
          type="text"
          shape="circle"
          danger
          icon={<DeleteIcon />}
          aria-label={remove}
          title={remove}
          disabled={locked}
          onClick={() => onDelete(question)}
        />
      </div>
    </article>
  );
}

function summaryOf(question: Question): string {
  const { questionType: type, options, subQuestions, scale_labels: labels, minValue, maxValue } = question;
  if (isChoice(type)) return options.map(({ text }) => text).join(' · ');
  if (isScale(type)) {
    const ends = [question.minDescription, question.maxDescription].filter(Boolean).join(' to ');
    return `Range: ${minValue ?? ''} to ${maxValue ?? ''}${ends === '' ? '' : ` (${ends})`}`;
  }
  if (type === 'MATRIX') return `Sub-questions: ${subQuestions.length} · ${labels.join(' / ')}`;
  if (type === 'BOOLEAN') return 'Yes or no';
  return type === 'NUMBER' ? 'A number' : 'A free text';
}
