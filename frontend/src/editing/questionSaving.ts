import { ApiError } from '@/api/client';
import type { Question, QuestionPayload } from '@/api/types';
import { problemOf } from '@/question-types/content';
import type { Draft } from '@/question-types/draft';
import { AutoSave, type SavingCalls } from './autoSave';
import { contentOf, contentOfDraft } from './history';

type Calls = Pick<SavingCalls<Draft, Question>, 'onSaved' | 'onConflict' | 'onFailure'> & {
  write: (body: QuestionPayload, expected: Question) => Promise<Question>;
};

/** Saves a question while it is being written. */
export const saveQuestion = (question: Question, { write, ...calls }: Calls) =>
  new AutoSave<Draft, Question>(question, {
    ...calls,
    write: (draft, expected) => write(contentOfDraft(draft), expected),
    isReady: (draft) => problemOf(draft) === null,
    isSame: (saved, draft) => JSON.stringify(contentOf(saved)) === JSON.stringify(contentOfDraft(draft)),
    changedTo: (failure) => {
      if (!(failure instanceof ApiError)) return undefined;
      if (failure.status === 404) return null;
      return failure.code === 'question_changed' ? (failure.body.question as Question) : undefined;
    },
  });
