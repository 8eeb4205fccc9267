import { useState } from 'react';
import { Button } from 'antd';
import type { Question } from '@/api/types';
import { AskedQuestion } from '@/question-types/AskedQuestion';
import { draftOf } from '@/question-types/draft';
import { Dialog } from '@/ui/Dialog';
import { count } from '@/ui/format';

/** Questions on one page of the preview. */
const PAGE = 20;

/** The whole survey as a person would see it. It can be answered for a try; nothing is kept. */
export function SurveyPreview({
  title,
  description,
  questions,
  onClose,
}: {
  title: string;
  description: string;
  questions: Question[];
  onClose: () => void;
}) {
  const [shown, setShown] = useState(PAGE);
  return (
    <Dialog title={`Preview: ${title}`} size="lg" opensAt="top" onClose={onClose}>
      <div className="stack gap-4">
        {description !== '' && <p className="muted">{description}</p>}
        <ol className="numbered gap-6">
          {questions.slice(0, shown).map((question) => (
            <li key={question.id}>
              <AskedQuestion draft={draftOf(question)} name={`preview-${question.id}`} />
            </li>
          ))}
        </ol>
        {shown < questions.length && (
          <Button onClick={() => setShown(shown + PAGE)}>
            Show more ({count(questions.length - shown)} left)
          </Button>
        )}
        <p className="muted">A try: what you choose here is not kept. An asterisk marks required answers.</p>
      </div>
    </Dialog>
  );
}
