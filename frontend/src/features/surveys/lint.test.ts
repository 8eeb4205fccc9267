import { describe, expect, it } from 'vitest';
import { BLANK_DRAFT, type Draft } from '@/question-types/draft';
import { hintsOn } from './lint';

const hints = (part: Partial<Draft>) => hintsOn({ ...BLANK_DRAFT, ...part }).map(({ text }) => text);

describe('a hint on the wording', () => {
  it.each([
    ['Are buses cheap/punctual?', /“cheap\/punctual” may ask two things/],
    ['Sind Busse günstig/pünktlich?', /“günstig\/pünktlich” may ask two things/],
    [`${'long '.repeat(45)}?`, /^226 characters/],
  ])('is given on %j', (text, expected) => {
    expect(hints({ text })).toEqual([expect.stringMatching(expected)]);
  });

  it.each([
    'How do you get to work?',
    'How fast do you go, in m/s or 1/s?',
    'You have a car/van. Which way do you take?',
  ])('is not given on %j', (text) => {
    expect(hints({ text })).toEqual([]);
  });

  it('is given on the rows of a matrix, by their number', () => {
    const subQuestions = ['Buses are cheap', 'Buses are cheap/fast'];
    expect(hints({ text: 'Agree?', type: 'MATRIX', subQuestions })).toEqual([
      'Sub-question 2: “cheap/fast” may ask two things at once.',
    ]);
  });

  it('is not given on two things in an open question', () => {
    expect(hints({ text: 'What do you like/dislike?', type: 'TEXT_ENTRY' })).toEqual([]);
  });
});

describe('a choice without a way out', () => {
  const options = ['Auto', 'Bus', 'Weiß nicht'];

  it('is offered one that keeps its place', () => {
    const [hint] = hintsOn({ ...BLANK_DRAFT, text: 'Which?', options: ['Car', 'Bus', 'Tram', ''] });
    expect(hint?.fix?.part).toEqual({
      options: ['Car', 'Bus', 'Tram', "Don't know"],
      logic: { pin: ["Don't know"] },
    });
    expect(hints({ text: 'Which?', ...hint?.fix?.part })).toEqual([]);
  });

  it('is offered one that excludes the others, where several can be chosen', () => {
    const [hint] = hintsOn({ ...BLANK_DRAFT, type: 'MULTIPLE_CHOICE', text: 'Which?', options });
    expect(hint?.fix?.part.logic).toEqual({ exclusive: ["Don't know"] });
  });

  it.each<Partial<Draft>>([
    { options: ['Yes', 'No'] },
    { options: ['Never', 'Rarely', 'Sometimes', 'Often', 'Always'] },
    { options: ['0', '1', '2', '3', '4', '5', '6', '7', '8', '9', '10'] },
    { options, logic: { pin: ['Weiß nicht'] } },
    { options, logic: { exclusive: ['Weiß nicht'] } },
    { options, logic: { codes: [1, 2, 99] } },
    { options, logic: { scale: 'ordinal' } },
  ])('is not seen in %j', (part) => {
    expect(hints({ text: 'Which?', ...part })).toEqual([]);
  });

  it.each<Partial<Draft>>([{}, { logic: { codes: [1, 2, 3] } }, { logic: { pin: ['Andere'] } }])(
    'is seen in German words without a mark, with %j',
    (part) => {
      expect(hints({ text: 'Womit?', options, ...part })).toHaveLength(1);
    },
  );
});
