import { useCallback, useLayoutEffect, useRef } from 'react';
import { App } from 'antd';
import { ApiError, failed } from '@/api/client';
import type { Question } from '@/api/types';
import { mergeEffects, contentOf, type RenameEffects } from '@/editing/history';
import { inDesign, inQuestion, problemOfRename, renameField, type Rename } from './flow/rename';
import type { DesignStore } from './useDesign';
import type { QuestionStore } from './useQuestions';

export type Renaming = ReturnType<typeof useRenaming>;

/** Gives names of a survey to other things: everything that has them follows, in the questions and in the flow. */
export function useRenaming(store: QuestionStore, flow: DesignStore) {
  const { message } = App.useApp();
  const newest = useRef({ store, flow });
  useLayoutEffect(() => {
    newest.current = { store, flow };
  });

  /**
   * Makes everything read the new name, but for the question `own`. A failure shows a message and ends it: what was renamed before
   * is returned all the same, so that undo takes it back.
   */
  const follow = useCallback(
    async (rename: Rename, own?: number): Promise<RenameEffects> => {
      const { store, flow } = newest.current;
      const questions: Question[] = [];
      let design: RenameEffects['design'] = null;
      try {
        if (flow.design === undefined) throw new Error('the flow has not been read yet');
        const next = inDesign(flow.design, rename);
        if (next !== flow.design) design = await flow.replace(next);
        for (const question of store.now()) {
          if (question.id === own) continue;
          const written = await renamedIn(store, question, rename);
          if (written !== null) questions.push(written);
        }
      } catch (failure) {
        // A toast of its own: that of the change replaces others about questions.
        void message.error(failed('Failed to rename it everywhere', failure));
      }
      return { questions, design };
    },
    [message],
  );

  /** One step of undo. Says why it cannot be; `null` where it is under way. */
  const rename = useCallback(
    (asked: Rename): string | null => {
      const { store, flow } = newest.current;
      if (flow.design === undefined) return 'The flow has not been read yet';
      const questions = store.now();
      const problem = problemOfRename(asked, flow.design, questions);
      if (problem !== null) return problem;
      // What only the flow knows is saved as any other change of it.
      if (questions.every((question) => inQuestion(question, asked) === question)) {
        flow.change(inDesign(flow.design, asked));
        return null;
      }
      store.trackPending(follow(asked).then(({ questions, design }) => store.recordAll(questions, design)));
      return null;
    },
    [follow],
  );

  /** Like {@link rename}, for a field that the node at a place sets. */
  const nameField = useCallback(
    (at: string, from: string, to: string): string | null => {
      const { store, flow } = newest.current;
      if (flow.design === undefined) return 'The flow has not been read yet';
      const means = renameField(flow.design, store.now(), at, from, to);
      if ('problem' in means) return means.problem;
      if ('rename' in means) return rename(means.rename);
      flow.change(means.design);
      return null;
    },
    [rename],
  );
  return { follow, rename, nameField };
}

/** The names that an open question is given, and all that took them over. */
export class OpenName {
  private all: RenameEffects | undefined;

  constructor(private readonly follow: Renaming['follow']) {}

  get followed(): RenameEffects | undefined {
    return this.all;
  }

  /** The question was saved. */
  async saved(before: Question, after: Question): Promise<void> {
    const [from, to] = [before.name, after.name];
    if (from === to) return;
    this.all = mergeEffects(this.all, await this.follow({ kind: 'question', from, to }, after.id));
  }
}

/** The question as it was, if the name stands in it. What somebody else made of it meanwhile stays. */
async function renamedIn(store: QuestionStore, question: Question, rename: Rename): Promise<Question | null> {
  const next = inQuestion(question, rename);
  if (next === question) return null;
  try {
    await store.write(question, contentOf(next));
    return question;
  } catch (failure) {
    if (!(failure instanceof ApiError)) throw failure;
    if (failure.status === 404) return null;
    if (failure.code !== 'question_changed') throw failure;
    return renamedIn(store, failure.body.question as Question, rename);
  }
}
