import { describe, expect, it } from 'vitest';
import { BLANK_DRAFT, type Draft } from '@/question-types/draft';
import { hintsOn } from './lint';

const hints = (part: Partial<Draft>) => hintsOn({ ...BLANK_DRAFT, ...part }).map(({ text }) => text);

describe('a hint on the wording', () => {
  it.each([
    ["Don't you agree that buses are dear?", /^“Don't you agree”/],
    ['Surely buses are too dear?', /^“Surely”/],
    ['How great is our service?', /^“How great”/],
    ['Are buses cheap and punctual?', /“cheap and punctual” may ask two things/],
    [`${'long '.repeat(45)}?`, /^226 characters/],
  ])('is given on %j', (text, expected) => {
    expect(hints({ text })).toEqual([expect.stringMatching(expected)]);
  });

  it.each([
    'How do you get to work?',
    'How often do you see friends and family?',
    'Where do you stand, between left and right?',
    'You have a car and a bicycle. Which do you take?',
  ])('is not given on %j', (text) => {
    expect(hints({ text })).toEqual([]);
  });

  it('is given on the rows of a matrix, by their number', () => {
    const subQuestions = ['Buses are cheap', 'Buses are cheap and run at night'];
    expect(hints({ text: 'Agree?', type: 'MATRIX', subQuestions })).toEqual([
      'Sub-question 2: “cheap and run at” may ask two things at once.',
    ]);
  });

  it('is not given on two things in an open question', () => {
    expect(hints({ text: 'What do you like and dislike?', type: 'TEXT_ENTRY' })).toEqual([]);
  });
});

describe('a choice without a way out', () => {
  it('is offered one', () => {
    const [hint] = hintsOn({ ...BLANK_DRAFT, text: 'Which?', options: ['Car', 'Bus', 'Tram', ''] });
    expect(hint?.fix?.part.options).toEqual(['Car', 'Bus', 'Tram', "Don't know"]);
  });

  it.each([
    [['Car', 'Bus', "Don't know"]],
    [['Car', 'Bus', 'None of these']],
    [['Yes', 'No']],
    [['Never', 'Rarely', 'Sometimes', 'Often', 'Always']],
    [['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10']],
  ])('is not seen in %j', (options) => {
    expect(hints({ text: 'Which?', options })).toEqual([]);
  });
});
