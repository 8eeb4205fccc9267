import { useMemo } from 'react';
import { plainText } from '@/ui/piped';
import { useSearchParams } from 'react-router';
import type { Question } from '@/api/types';

/** Options as they were asked, or the commonest first. */
export type Sort = 'asked' | 'share';

/**
 * The split, filters and sort of a run's answers, as in the address: `?by=Gender&where=Income:Less than
 * $30,000&sort=share`.
 */
export interface ResultFilter {
  /** An attribute, or `question:31`; null where the answers are not split. */
  by: string | null;
  /** `Gender:Female` or `question:31:By bicycle`; alternatives where several are of one name. */
  where: string[];
  sort: Sort;
  /** Query parameters of the API. */
  query: { by?: string; where?: string[] };
  splitBy: (by: string | null) => void;
  add: (clause: string) => void;
  remove: (clause: string) => void;
  sortBy: (sort: Sort) => void;
  /** Neither split nor narrowed. */
  clear: () => void;
}

/** The filter in the address; all that shows results of the run may use it. */
export function useResultFilter(): ResultFilter {
  const [params, setParams] = useSearchParams();
  return useMemo(() => {
    const by = params.get('by') || null;
    const where = [...new Set(params.getAll('where'))].filter((clause) => clause.includes(':'));
    const change = (edit: (params: URLSearchParams) => void) => {
      setParams((before) => {
        const after = new URLSearchParams(before);
        edit(after);
        return after;
      });
    };
    // Other twins begin at the first page of a table.
    const choose = (edit: (params: URLSearchParams) => void) =>
      change((after) => {
        edit(after);
        after.delete('page');
      });
    return {
      by,
      where,
      sort: params.get('sort') === 'share' ? 'share' : 'asked',
      query: { ...(by !== null && { by }), ...(where.length > 0 && { where }) },
      splitBy: (next) => change((after) => (next === null ? after.delete('by') : after.set('by', next))),
      add: (clause) => choose((after) => after.append('where', clause)),
      remove: (clause) => choose((after) => after.delete('where', clause)),
      sortBy: (sort) =>
        change((after) => (sort === 'asked' ? after.delete('sort') : after.set('sort', sort))),
      clear: () =>
        change((after) => {
          after.delete('by');
          after.delete('where');
        }),
    };
  }, [params, setParams]);
}

const QUESTION = 'question:';

/** The split by where each question was asked in its block. */
export const POSITION = `${QUESTION}position`;

/** The question that a split or a clause of a filter is about; null of an attribute. */
export function questionOf(text: string): number | null {
  const id = new RegExp(`^${QUESTION}(\\d+)(?::|$)`).exec(text)?.[1];
  return id === undefined ? null : Number(id);
}

/** A question as a variable; of a matrix one of its rows, from 1. */
export const byQuestion = (questionId: number, row?: number) =>
  `${QUESTION}${questionId}${row === undefined ? '' : `:row:${row}`}`;

/** The row of a matrix that a split or a clause is about, from 1, and the answer after it. */
export function rowOf(text: string): { row: number; answer: string } | null {
  const [, row, answer = ''] = new RegExp(`^${QUESTION}\\d+:row:(\\d+)(?::(.*))?$`, 's').exec(text) ?? [];
  return row === undefined ? null : { row: Number(row), answer };
}

/** A question as clauses name it. */
interface Named {
  questionId: number;
  order: number;
  rows: readonly string[];
}

/** A survey's questions as {@link clauseName} takes them. */
export const namesOf = (questions: readonly Question[]): Named[] =>
  questions.map(({ id, order, subQuestions }) => ({ questionId: id, order, rows: subQuestions }));

/** A clause in words: `Gender: Female`, `Q3: By bicycle`, `Q4 Petrol should cost more: Agree`. */
export const clauseName = (clause: string, questions: readonly Named[]): string =>
  plainText(writtenName(clause, questions));

function writtenName(clause: string, questions: readonly Named[]): string {
  const id = questionOf(clause);
  if (id === null) return clause.replace(':', ': ');
  const asked = questions.find(({ questionId }) => questionId === id);
  if (asked === undefined) return clause;
  const matrix = asked.rows.length > 0 ? rowOf(clause) : null;
  if (matrix !== null)
    return `Q${asked.order} ${asked.rows[matrix.row - 1] ?? `row ${matrix.row}`}: ${matrix.answer}`;
  return `Q${asked.order}: ${clause.slice(byQuestion(id).length + 1)}`;
}
