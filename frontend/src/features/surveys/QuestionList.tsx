import {
  DragDropContext,
  Draggable,
  Droppable,
  useKeyboardSensor,
  useTouchSensor,
} from 'react-beautiful-dnd';
import type { Question } from '@/api/types';
import { useMouseSensor } from './mouseSensor';
import { QuestionCard } from './QuestionCard';

interface QuestionListProps {
  /** In their order. */
  questions: Question[];
  locked: boolean;
  onReorder: (questions: Question[]) => void;
  onEdit: (question: Question) => void;
  onDelete: (question: Question) => void;
}

const sensors = [useMouseSensor, useKeyboardSensor, useTouchSensor];

/** Cards that are dragged by mouse or touch, or moved with space and the arrow keys; a locked survey's stay put. */
export function QuestionList({ questions, locked, onReorder, onEdit, onDelete }: QuestionListProps) {
  if (locked) {
    return (
      <ol className="question-list">
        {questions.map((question) => (
          <li key={question.id}>
            <QuestionCard question={question} locked onEdit={onEdit} onDelete={onDelete} />
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
                // The handle is a button: pressing it is how one drags.
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
                      locked={false}
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
                      onEdit={onEdit}
                      onDelete={onDelete}
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
