import { describe, expect, it } from 'vitest';
import { payloadOf, problemOf, switchType, withType } from './content';
import { type Draft, BLANK_DRAFT, endsAreCrossed, withPart } from './draft';

describe('a question draft', () => {
  it('guarantees two empty options when it becomes a choice', () => {
    const slider = withType({ ...BLANK_DRAFT, options: [] }, 'SLIDER');
    expect(slider.options).toEqual([]);
    expect(withType(slider, 'MULTIPLE_CHOICE').options).toEqual(['', '']);
  });

  it('loses its ends when it becomes a choice', () => {
    const range = {
      ...withType(BLANK_DRAFT, 'RANGE'),
      min: 1,
      max: 5,
      minDescription: 'low',
      maxDescription: 'high',
    };
    const { min, max, minDescription, maxDescription } = withType(range, 'SINGLE_CHOICE');
    expect([min, max, minDescription, maxDescription]).toEqual([null, null, '', '']);
  });

  it('has its options back when it becomes a choice again, with the text of now', () => {
    const memory = new Map();
    const text = switchType(memory, { ...BLANK_DRAFT, text: 'Q', options: ['a', 'b'] }, 'TEXT_ENTRY');
    expect(text.options).toEqual([]);
    const again = switchType(memory, { ...text, text: 'Q2' }, 'MULTIPLE_CHOICE');
    expect(again).toMatchObject({ type: 'MULTIPLE_CHOICE', text: 'Q2', options: ['a', 'b'] });
  });

  it('starts a matrix with five labels of agreement', () => {
    expect(withType(BLANK_DRAFT, 'MATRIX').scaleLabels).toEqual([
      'Strongly disagree',
      'Disagree',
      'Neutral',
      'Agree',
      'Strongly agree',
    ]);
  });

  it.each([
    [{ text: '  ' }, 'Question text is required'],
    [{ text: 'Q', options: ['one'] }, 'Choice questions must have at least 2 non-empty options'],
    [{ text: 'Q', options: ['one', ' '] }, 'Choice questions must have at least 2 non-empty options'],
    [{ text: 'Q', type: 'RANGE' }, 'Range questions must have both minimum and maximum values'],
    [{ text: 'Q', type: 'RANGE', min: 2, max: 2 }, 'Minimum value must be less than maximum value'],
    [
      { text: 'Q', type: 'RANGE', min: 0, max: 2, minDescription: 'low' },
      'Range questions must have descriptions for both minimum and maximum values',
    ],
    [{ text: 'Q', options: ['one', 'two'] }, null],
    [{ text: 'Q', options: ['one', ' one '] }, '“one” appears twice'],
    [{ text: 'Q', type: 'MATRIX', scaleLabels: ['Bad', 'Bad'] }, '“Bad” appears twice'],
    [{ text: 'Q', type: 'SLIDER', min: 3, max: 1 }, null],
  ] as const)('%o has the problem %s', (part, problem) => {
    expect(problemOf({ ...BLANK_DRAFT, ...structuredClone(part) } as Draft)).toBe(problem);
  });

  it('warns of a slider whose ends are crossed, zero included', () => {
    expect(endsAreCrossed({ ...BLANK_DRAFT, min: 0, max: 0 })).toBe(true);
    expect(endsAreCrossed({ ...BLANK_DRAFT, min: 0, max: 1 })).toBe(false);
    expect(endsAreCrossed({ ...BLANK_DRAFT, min: null, max: 1 })).toBe(false);
  });

  it('sends what its type uses, trimmed', () => {
    const draft = { ...BLANK_DRAFT, text: ' Q ', options: [' a ', 'b'], min: 1 };
    expect(payloadOf(draft)).toEqual({
      text: 'Q',
      type: 'SINGLE_CHOICE',
      required: true,
      options: ['a', 'b'],
      scale_labels: [],
      sub_questions: [],
    });
  });
});

describe('the types beyond the first five', () => {
  const options = ['Rent', 'Food'];

  it('keep their options from one to the other', () => {
    const choice = { ...BLANK_DRAFT, text: 'What?', options };
    for (const type of ['CONSTANT_SUM', 'RANK', 'BEST_WORST'] as const) {
      expect(payloadOf(withType(choice, type))).toMatchObject({ type, options, scale_labels: [] });
    }
    expect(payloadOf(withType(choice, 'INFO'))).toMatchObject({
      type: 'INFO',
      options: [],
      scale_labels: [],
    });
  });

  it('send the total of a sum alone', () => {
    const sum = { ...withType({ ...BLANK_DRAFT, text: 'What?', options }, 'CONSTANT_SUM'), total: 24 };
    expect(payloadOf(sum).total).toBe(24);
    expect(payloadOf({ ...sum, total: null }).total).toBeNull();
    expect(payloadOf(withType(sum, 'RANK'))).not.toHaveProperty('total');
    expect(problemOf({ ...sum, total: 0 })).toBe('The total must be above 0');
  });

  it('say what they lack', () => {
    const text = { ...BLANK_DRAFT, text: 'What?' };
    // The last line of a list is where the next item is typed.
    const choice = { ...BLANK_DRAFT, text: 'What?', type: 'SINGLE_CHOICE' as const };
    expect(problemOf({ ...choice, options: ['Tea', 'Coffee', '', ' '] })).toBeNull();
    expect(problemOf({ ...choice, options: ['Tea', '', 'Coffee'] })).toMatch(/at least 2 non-empty options/);
    expect(problemOf({ ...choice, options: ['Tea', '', ''] })).toMatch(/at least 2 non-empty options/);
    expect(problemOf(withType(text, 'RANK'))).toBe(
      'Ranking questions must have at least 2 non-empty options',
    );
    expect(problemOf(withType(text, 'MATRIX_MULTI'))).toBe(
      'Matrix questions must have at least 2 non-empty scale labels',
    );
    expect(problemOf(withType(text, 'INFO'))).toBeNull();
  });
});

describe('what the logic of a question says of its options', () => {
  const several: Draft = {
    ...BLANK_DRAFT,
    type: 'MULTIPLE_CHOICE',
    options: ['Tea', 'Milk', 'None'],
    logic: {
      pin: ['None'],
      exclusive: ['None'],
      check: { expect: ['Tea'] },
      optionIf: { Milk: { answered: 'x' } },
    },
  };

  it('follows an option that is written anew', () => {
    expect(withPart(several, { options: ['Tea', 'Milk', 'None of these'] }).logic).toEqual({
      ...several.logic,
      pin: ['None of these'],
      exclusive: ['None of these'],
    });
  });

  it('forgets one that is gone, and minds neither a new one nor another order', () => {
    expect(withPart(several, { options: ['Tea', 'Milk'] }).logic).toEqual({
      check: { expect: ['Tea'] },
      optionIf: { Milk: { answered: 'x' } },
    });
    for (const options of [
      ['Tea', 'Milk', 'None', ''],
      ['None', 'Milk', 'Tea'],
      ['Milk', 'Tea', 'None'],
    ])
      expect(withPart(several, { options }).logic).toEqual(several.logic);
  });

  it('forgets what excludes the others where one alone is chosen', () => {
    expect(withType(several, 'SINGLE_CHOICE').logic?.exclusive).toBeUndefined();
    expect(withType(several, 'SINGLE_CHOICE').logic?.pin).toEqual(['None']);
  });
});
