import { useCallback, useLayoutEffect, useRef } from 'react';
import { api, ApiError } from '@/api/client';
import type { Question, QuestionPayload, Rename } from '@/api/types';
import { contentOf } from '@/editing/history';
import { reasonOf } from '@/editing/saveState';
import { isSet, walk } from './flow/nodes';
import { put } from './flow/tree';
import type { DesignStore } from './useDesign';
import type { QuestionStore } from './useQuestions';

export type Renaming = ReturnType<typeof useRenaming>;

const inverseOf = (rename: Rename): Rename => ({ ...rename, from: rename.to ?? '', to: rename.from });

/** Renames on the server: everything that reads a name follows there, in the questions and in the flow. */
export function useRenaming(store: QuestionStore, flow: DesignStore) {
  const newest = useRef({ store, flow });
  useLayoutEffect(() => {
    newest.current = { store, flow };
  });

  const send = useCallback(async (asked: Rename): Promise<Question[]> => {
    const { store, flow } = newest.current;
    // The server renames in what it has.
    await flow.flush();
    try {
      const renamed = await store.withSaveState(() =>
        api.post('/api/surveys/{surveyId}/rename', {
          params: store.params,
          body: { ...asked, expectedHash: flow.savedHash() ?? null },
        }),
      );
      await store.show(renamed.questions);
      await flow.accept(renamed.design as never);
      return renamed.questions;
    } catch (failure) {
      // Nothing waits here that somebody else's flow would write over.
      const isOld = failure instanceof ApiError && failure.code === 'design_changed';
      if (isOld && newest.current.flow.conflict === null) await flow.reload();
      throw failure;
    }
  }, []);

  /** Renames as one step of undo. Resolves to why that is refused, or to `null`. */
  const rename = useCallback(
    (asked: Rename): Promise<string | null> => {
      const { store } = newest.current;
      const task = send(asked).then(
        () => {
          store.record({ undo: () => send(inverseOf(asked)), redo: () => send(asked) });
          return null;
        },
        (failure: unknown) => reasonOf(failure),
      );
      store.trackPending(task);
      return task;
    },
    [send],
  );

  /**
   * Like {@link rename}, for a field that the node at a place sets. If the node alone sets it, and another node sets a field of the new
   * name, the node sets that one from now on.
   */
  const nameField = useCallback(
    async (at: string, from: string, to: string): Promise<string | null> => {
      const { design, change } = newest.current.flow;
      const sets = [...walk(design?.flow ?? [])].flatMap(({ node, at }) =>
        isSet(node) ? [{ node, at }] : [],
      );
      const own = sets.find((one) => one.at === at);
      const isSetElsewhere = (name: string) => sets.some((one) => one.at !== at && name in one.node.set);
      const joins = own !== undefined && !(to in own.node.set) && isSetElsewhere(to) && !isSetElsewhere(from);
      if (design === undefined || !joins) return rename({ kind: 'field', from, to });
      const set = Object.entries(own.node.set).map(([name, text]) => [name === from ? to : name, text]);
      change(put(design, at, { set: Object.fromEntries(set) as Record<string, string> }));
      return null;
    },
    [rename],
  );

  /** Saves a question; where its name changes, everything that reads it follows. */
  const write = useCallback(
    async (before: Question, { name, ...content }: QuestionPayload): Promise<Question> => {
      const saved = await newest.current.store.write(before, content);
      if (name === undefined || name === saved.name) return saved;
      const questions = await send({ kind: 'question', from: saved.name, to: name === '' ? null : name });
      return questions.find(({ id }) => id === saved.id) ?? saved;
    },
    [send],
  );

  /** One step for all that was saved while a question was open. */
  const recordChange = useCallback(
    (before: Question, after: Question) =>
      newest.current.store.recordChange(
        before,
        after,
        before.name === after.name
          ? undefined
          : { undo: () => write(after, contentOf(before)), redo: () => write(before, contentOf(after)) },
      ),
    [write],
  );
  return { rename, nameField, write, recordChange };
}

/** The place of another question of this name, whatever its case. */
export function takenBy(questions: readonly Question[], name: string, own?: string): string | null {
  const lower = name.trim().toLowerCase();
  const other = questions.find((question) => question.name !== own && question.name.toLowerCase() === lower);
  return other === undefined ? null : `Question ${other.order} is called “${other.name}” already`;
}
