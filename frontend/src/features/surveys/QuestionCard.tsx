import type { ReactNode } from 'react';
import type { Question } from '@/api/types';
import { IconButton } from '@/ui/IconButton';
import { DeleteIcon, EditIcon } from '@/ui/icons';
import { isChoice, isScale, typeName } from '@/ui/questionTypes';

interface QuestionCardProps {
  question: Question;
  locked: boolean;
  handle?: ReactNode;
  onEdit: (question: Question) => void;
  onDelete: (question: Question) => void;
}

export function QuestionCard({ question, locked, handle, onEdit, onDelete }: QuestionCardProps) {
  return (
    <article className="question-card">
      {handle}
      <div className="question-body">
        <h2>{question.text}</h2>
        <Summary question={question} />
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
        <IconButton
          label={`Edit question ${question.order}`}
          disabled={locked}
          onClick={() => onEdit(question)}
        >
          <EditIcon />
        </IconButton>
        <IconButton
          label={`Delete question ${question.order}`}
          danger
          disabled={locked}
          onClick={() => onDelete(question)}
        >
          <DeleteIcon />
        </IconButton>
      </div>
    </article>
  );
}

function Summary({ question }: { question: Question }) {
  const { questionType: type, options, subQuestions, scale_labels: labels, minValue, maxValue } = question;
  if (isChoice(type)) return <p className="muted">{options.map(({ text }) => text).join(' · ')}</p>;
  if (isScale(type)) {
    const ends = [question.minDescription, question.maxDescription].filter(Boolean).join(' to ');
    return (
      <p className="muted">
        Range: {minValue} to {maxValue}
        {ends !== '' && ` (${ends})`}
      </p>
    );
  }
  if (type === 'MATRIX') {
    return (
      <p className="muted">
        Sub-questions: {subQuestions.length} · {labels.join(' / ')}
      </p>
    );
  }
  if (type === 'BOOLEAN') return <p className="muted">Yes or no</p>;
  return <p className="muted">{type === 'NUMBER' ? 'A number' : 'A free text'}</p>;
}
