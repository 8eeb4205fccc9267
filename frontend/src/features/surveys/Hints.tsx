import { useDeferredValue } from 'react';
import type { Draft } from '@/question-types/draft';
import { hintsOn } from './lint';

/** Hints on the wording that stop nobody. */
export function Hints({ draft, onChange }: { draft: Draft; onChange: (part: Partial<Draft>) => void }) {
  const hints = hintsOn(useDeferredValue(draft));
  if (hints.length === 0) return null;
  return (
    <ul className="hints stack gap-1 small long-word" aria-label="Hints on the wording">
      {hints.map(({ text, fix }) => (
        <li key={text}>
          {text}{' '}
          {fix !== undefined && (
            <button type="button" className="text-button" onClick={() => onChange(fix.part)}>
              {fix.name}
            </button>
          )}
        </li>
      ))}
    </ul>
  );
}
