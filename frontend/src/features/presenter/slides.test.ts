import { describe, expect, it } from 'vitest';
import type { QuestionSummary, Tally } from '@/api/types';
import { colorsOf, pictureOfGroup, shareOf, slidesOf, targetOf, verdictOn } from './slides';
import { untested } from '@/testing/summaries';

const tallies = (values: Record<string, number>): Tally[] => {
  const n = Object.values(values).reduce((sum, each) => sum + each, 0);
  return Object.entries(values).map(([value, count]) => ({ value, count, share: count / n }));
};
const scale = tallies({
  'Strongly agree': 13,
  Agree: 21,
  Neutral: 24,
  Disagree: 23,
  'Strongly disagree': 19,
});
const matrix: QuestionSummary = {
  questionId: 7,
  order: 2,
  text: 'How much do you agree?',
  questionType: 'MATRIX',
  ...untested,
  hasDegrees: true,
  agreeing: ['Strongly agree', 'Agree'],
  texts: [],
  n: 100,
  counts: [],
  bins: [],
  rows: [
    { row: 'Buses are fine', n: 100, counts: scale },
    { row: 'Petrol is cheap', n: 100, counts: tallies({ Agree: 1, Disagree: 3 }) },
  ],
  groups: [
    {
      value: 'Female',
      n: 4,
      counts: [],
      bins: [],
      rows: [
        { row: 'Buses are fine', n: 4, counts: tallies({ Agree: 4 }) },
        { row: 'Petrol is cheap', n: 4, counts: tallies({ Agree: 2, Disagree: 2 }) },
      ],
    },
  ],
};

describe('slides', () => {
  it('of a matrix are one for each row, led by its question', () => {
    const slides = slidesOf([matrix]);
    expect(slides.map(({ lead, title }) => [lead, title])).toEqual([
      ['How much do you agree?', 'Buses are fine'],
      ['How much do you agree?', 'Petrol is cheap'],
    ]);
    const second = slides[1];
    expect(second && pictureOfGroup(matrix, 'Female', second)).toEqual({
      kind: 'parts',
      parts: tallies({ Agree: 2, Disagree: 2 }),
      agreeing: ['Strongly agree', 'Agree'],
      isScale: true,
    });
  });

  it('ask of an agreement scale how many agree, of others for one answer', () => {
    const agreement = { parts: scale, agreeing: ['Strongly agree', 'Agree'] };
    expect(targetOf(agreement)).toEqual({ values: ['Strongly agree', 'Agree'], words: 'agree' });
    expect(shareOf(scale, targetOf(agreement))).toBeCloseTo(0.34);
    expect(targetOf(agreement, 'Neutral').words).toBe('say “Neutral”');
    const travel = { parts: tallies({ Bus: 1, Car: 2 }), agreeing: [] };
    expect(targetOf(travel)).toEqual({ values: ['Bus'], words: 'say “Bus”' });
    const alike = { parts: tallies({ Agree: 1, 'Fully agree': 2 }), agreeing: ['Agree', 'Fully agree'] };
    expect(targetOf(alike).words).toBe('say “Agree”');
  });

  it('colour agreement from teal to rust, whichever end the scale begins at', () => {
    const shown = (counts: Tally[], hasDegrees = true) => {
      const single = { ...matrix, questionType: 'SINGLE_CHOICE' as const, counts, hasDegrees };
      const picture = slidesOf([single])[0]?.picture;
      return picture?.kind === 'parts' ? [picture.parts[0]?.value, ...colorsOf(picture)] : [];
    };
    const colors = ['p2', 'p1', '0', 'n1', 'n2'].map((step) => `var(--div-${step})`);
    expect(shown(scale)).toEqual(['Strongly agree', ...colors]);
    expect(shown([...scale].reverse())).toEqual(['Strongly agree', ...colors]);
    expect(shown(tallies({ 'Very unlikely': 1, Either: 1, 'Very likely': 2 }))[0]).toBe('Very likely');
    expect(shown(tallies({ Bus: 1, Car: 2 }), false)).toEqual(['Bus', 'var(--chart-1)', 'var(--chart-2)']);
  });

  it('say how far a guess was off, as the figures on the wall are rounded', () => {
    expect(verdictOn(55, 34.4, 'points')).toBe('21 points too many');
    expect(verdictOn(33, 34.4, 'points')).toBe('1 point too few');
    expect(verdictOn(34, 34.4, 'points')).toBe('exactly right');
    expect(verdictOn(4.2, 5, 'scale')).toBe('0.8 too low');
  });
});

it('of options show first places, best ones and means', () => {
  const row = (name: string, first: number) => ({
    row: name,
    n: 10,
    mean: 1.5,
    sd: 0.5,
    counts: tallies({ '1': first, '2': 10 - first }),
  });
  const ranking: QuestionSummary = {
    ...matrix,
    questionType: 'RANK',
    ...untested,
    rows: [row('Tea', 7), row('Milk', 3)],
    groups: [],
  };
  const [slide, ...others] = slidesOf([ranking]);
  expect(others).toEqual([]);
  expect(slide?.lead).toBe('Ranked first');
  expect(slide?.picture).toEqual({
    kind: 'parts',
    parts: [
      { value: 'Tea', count: 7, share: 0.7 },
      { value: 'Milk', count: 3, share: 0.3 },
    ],
    agreeing: [],
    isScale: false,
  });
  expect(slidesOf([{ ...ranking, questionType: 'CONSTANT_SUM' }])[0]?.picture.kind).toBe('means');
  const several = slidesOf([{ ...ranking, questionType: 'MATRIX_MULTI' }]);
  expect(several.map(({ title, picture }) => [title, picture.kind])).toEqual([
    ['Tea', 'several'],
    ['Milk', 'several'],
  ]);
});
