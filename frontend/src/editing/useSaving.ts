import { useEffect, useState } from 'react';
import { AutoSave } from './autoSave';

type Saving =
  | { kind: 'nothing' }
  | { kind: 'saving' }
  | { kind: 'saved'; at: Date }
  | { kind: 'failed'; failure: unknown };

/** Saves a document when the typing rests, when its page is left, and at once when asked. `write` stays the first one. */
export function useSaving<Document>(write: (document: Document) => Promise<unknown>) {
  const [state, setState] = useState<Saving>({ kind: 'nothing' });
  const onFailure = (failure: unknown) => setState({ kind: 'failed', failure });
  const [saver] = useState(
    () =>
      new AutoSave<Document, null>(null, {
        write: async (document) => {
          setState({ kind: 'saving' });
          await write(document);
          return null;
        },
        isSame: () => false,
        changedTo: () => undefined,
        onSaved: () => setState({ kind: 'saved', at: new Date() }),
        onConflict: () => undefined,
        onFailure,
      }),
  );
  useEffect(() => () => void saver.flush(), [saver]);
  return {
    state,
    later: (document: Document) => saver.later(document),
    /** Resolves to whether it was saved. */
    now: (document: Document): Promise<boolean> =>
      saver.now(document).catch((failure: unknown) => {
        onFailure(failure);
        return false;
      }),
  };
}
