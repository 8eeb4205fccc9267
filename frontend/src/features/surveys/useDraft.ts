import { useState } from 'react';
import { useGet } from '@/api/hooks';
import { blank, type Draft } from './draft';

/** Which question of which survey; `null` is a new one. */
interface Place {
  surveyId: number;
  questionId: number | null;
}

/**
 * A question being written. Where the user's settings say so, what was begun outlives a closed dialog, a reload and a
 * lost session, but not the tab.
 */
export function useDraft({ surveyId, questionId }: Place, fresh: Draft) {
  const key = `draft:${surveyId}:${questionId ?? 'new'}`;
  const [begun, setBegun] = useState(() => read(key));
  const [draft, setDraft] = useState(begun ?? fresh);
  const settings = useGet('/api/auth/settings', {}, { revalidateOnFocus: false, shouldRetryOnError: false });
  const keeps = settings.data?.autoSave ?? true;

  const forget = () => sessionStorage.removeItem(key);
  return {
    draft,
    /** It is not new: it goes on where it was left. */
    resumed: begun !== null,
    write: (next: Draft) => {
      setDraft(next);
      if (keeps) sessionStorage.setItem(key, JSON.stringify(next));
    },
    startOver: () => {
      forget();
      setBegun(null);
      setDraft(fresh);
    },
    /** It is saved, or not wanted. */
    forget,
  };
}

function read(key: string): Draft | null {
  const kept = sessionStorage.getItem(key);
  return kept === null ? null : { ...blank, ...(JSON.parse(kept) as Draft) };
}
