import { Piped } from '@/ui/Piped';
import type { Draft } from './draft';
import { questionTypes } from './questionTypes';
import './AskedQuestion.css';

/**
 * A question as a person would see it. With a `name` it can be answered, for a try: nothing is kept. Without one it is
 * a picture.
 */
export function AskedQuestion({ draft, name }: { draft: Draft; name?: string }) {
  const { isAsked, Preview } = questionTypes[draft.type];
  return (
    <div className="asked stack gap-3 long-word">
      <p className="asked-text">
        {draft.text.trim() === '' ? '…' : <Piped text={draft.text} />}
        {draft.required && isAsked && (
          <span className="asked-required" title="An answer is required">
            {' *'}
          </span>
        )}
      </p>
      <Preview draft={draft} name={name} />
    </div>
  );
}
