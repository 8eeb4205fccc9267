import { ApiError } from '@/api/client';
import type { Question, QuestionPayload } from '@/api/types';
import { problemOf } from '@/question-types/content';
import type { Draft } from '@/question-types/draft';
import type { SavingCalls } from './autoSave';
import { contentOf, contentOfDraft } from './history';

/** The calls that save the draft of a question. */
export const questionCalls = (
  write: (body: QuestionPayload, expected: Question) => Promise<Question>,
): Pick<SavingCalls<Draft, Question>, 'write' | 'isReady' | 'isSame' | 'changedTo'> => ({
  write: (draft, expected) => write(contentOfDraft(draft), expected),
  isReady: (draft) => problemOf(draft) === null,
  isSame: (saved, draft) => JSON.stringify(contentOf(saved)) === JSON.stringify(contentOfDraft(draft)),
  changedTo: (failure) => {
    if (!(failure instanceof ApiError)) return undefined;
    if (failure.status === 404) return null;
    return failure.code === 'question_changed' ? (failure.body.question as Question) : undefined;
  },
});
