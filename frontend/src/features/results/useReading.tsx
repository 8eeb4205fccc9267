import { lazy, Suspense, useState } from 'react';
import type { Reading } from './AnswersDialog';

const AnswersDialog = lazy(() => import('./AnswersDialog'));

/** What a row cuts short, in a dialog: how to open it, and where it stands. */
export function useReading() {
  const [reading, setReading] = useState<Reading | null>(null);
  return {
    read: setReading,
    dialog: (
      <Suspense>
        {reading !== null && <AnswersDialog reading={reading} onClose={() => setReading(null)} />}
      </Suspense>
    ),
  };
}
