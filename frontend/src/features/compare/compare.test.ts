import { describe, expect, it } from 'vitest';
import type { QuestionSummary, Tally } from '@/api/types';
import { findingsOf } from '@/charts/tests';
import { differencesOf } from './differences';
import { match } from './match';
import { merged } from './merged';

const tallies = (n: number, values: Record<string, number>): Tally[] =>
  Object.entries(values).map(([value, count]) => ({ value, count, share: count / n }));
const empty = { counts: [], rows: [], bins: [], texts: [], groups: [] };
const travel = (id: number, text: string, values: Record<string, number>): QuestionSummary => {
  const n = Object.values(values).reduce((sum, each) => sum + each, 0);
  return {
    ...empty,
    questionId: id,
    order: id,
    text,
    questionType: 'SINGLE_CHOICE',
    n,
    counts: tallies(n, values),
  };
};
const slider = (id: number, n: number, mean: number, sd: number): QuestionSummary => ({
  ...empty,
  questionId: id,
  order: id,
  text: 'How satisfied are you?',
  questionType: 'SLIDER',
  ...{ n, mean, sd },
  bins: [{ from: 0, to: 10, count: n, share: 1 }],
});
const split = { name: 'run', questionId: null, exclusive: true, colors: new Map<string, string>() };

describe('questions of two runs', () => {
  it('are the same by type, options and text, or by texts that are alike', () => {
    const first = [
      travel(1, 'How do you get to work?', { Bus: 1, Car: 2 }),
      travel(2, 'How did you get to work today?', { Bus: 1, Car: 2 }),
      travel(3, 'What do you drink?', { Tea: 1, Coffee: 2 }),
    ];
    const second = [
      travel(7, 'What do you drink?', { Tea: 1, Water: 2 }),
      travel(8, 'How did you get to work yesterday?', { Bus: 1, Car: 2 }),
      travel(9, 'how do you  get to work?', { Bus: 3, Car: 2 }),
    ];
    const found = match([first, second]);
    expect(
      found.map(({ questions, reworded }) => [...questions.map((each) => each?.questionId), reworded]),
    ).toEqual([
      [1, 9, false],
      [2, 8, true],
    ]);
  });

  it('stand beside each other as groups of one question, and together as the whole', () => {
    const question = merged({ questions: [slider(1, 3, 2, 1), slider(5, 2, 7, 2)], reworded: false }, [
      'A',
      'B',
    ]);
    expect(question?.groups.map(({ value, n, mean }) => [value, n, mean])).toEqual([
      ['A', 3, 2],
      ['B', 2, 7],
    ]);
    // 1 2 3 and 7 ± √2 · 1 = 5.586 8.414
    expect(question?.mean).toBeCloseTo(4, 12);
    expect(question?.sd).toBeCloseTo(Math.sqrt((2 + 4 + 3 * 4 + 2 * 9) / 4), 12);
    expect(question?.bins[0]?.count).toBe(5);
  });

  it('are listed by how far their distributions lie apart', () => {
    const matches = match([
      [travel(1, 'To work?', { Bus: 30, Car: 70 }), slider(2, 100, 5, 2)],
      [travel(1, 'To work?', { Bus: 90, Car: 10 }), slider(2, 100, 5.2, 2)],
    ]);
    const questions = matches.flatMap((each) => merged(each, ['A', 'B']) ?? []);
    const rows = differencesOf(questions, ['A', 'B'], findingsOf(questions, split));
    expect(rows.map(({ question }) => question.questionId)).toEqual([1, 2]);
    const [bus, satisfied] = rows;
    expect(bus?.measure).toBe('Bus');
    expect(bus?.values).toEqual([0.3, 0.9]);
    expect(bus?.differences[0]?.difference).toBeCloseTo(0.6, 12);
    expect(bus?.distance).toBeCloseTo(0.6, 12);
    expect(bus?.finding?.differs).toBe(true);
    expect(satisfied?.differences[0]?.difference).toBeCloseTo(0.2, 12);
    expect(satisfied?.finding?.differs).toBe(false);
  });
});
