import { describe, expect, it } from 'vitest';
import { surveyOf } from './plainText';

const survey = `# Commuting

1. How do you get to work?
- By car
- By bus
- On foot

Q2: What do you read? (optional)
[ ] Papers
[ ] Novels

How well did you sleep?
0..100 (badly to well)

How often
do you dream?
1-7

How much do you agree?
Disagree | Neutral | Agree
- Petrol is cheap
- Buses are dear

What did you dream of?
___`;

describe('a survey as plain text', () => {
  it('has a title and a question for each block', () => {
    const { title, questions, errors } = surveyOf(survey);
    expect(errors).toEqual([]);
    expect(title).toBe('Commuting');
    expect(questions).toEqual([
      {
        text: 'How do you get to work?',
        required: true,
        type: 'SINGLE_CHOICE',
        options: ['By car', 'By bus', 'On foot'],
      },
      { text: 'What do you read?', required: false, type: 'MULTIPLE_CHOICE', options: ['Papers', 'Novels'] },
      {
        text: 'How well did you sleep?',
        required: true,
        type: 'SLIDER',
        min_value: 0,
        max_value: 100,
        min_description: 'badly',
        max_description: 'well',
      },
      {
        text: 'How often\ndo you dream?',
        required: true,
        type: 'SLIDER',
        min_value: 1,
        max_value: 7,
        min_description: '',
        max_description: '',
      },
      {
        text: 'How much do you agree?',
        required: true,
        type: 'MATRIX',
        scale_labels: ['Disagree', 'Neutral', 'Agree'],
        sub_questions: ['Petrol is cheap', 'Buses are dear'],
      },
      { text: 'What did you dream of?', required: true, type: 'TEXT_ENTRY' },
    ]);
  });

  it.each(['- x', '* x', '• x', 'a) x', '( ) x', '() x', 'B. x'])('takes “%s” as an option', (option) => {
    expect(surveyOf(`Which?\n${option}\n- other`).questions[0]?.options).toEqual(['x', 'other']);
  });

  it.each([
    ['1-7', 1, 7],
    ['0..100', 0, 100],
    ['-5..5', -5, 5],
    ['1 to 10', 1, 10],
    ['0 – 1.5', 0, 1.5],
  ])('takes “%s” as a range', (range, min, max) => {
    expect(surveyOf(`How much?\n${range}`).questions[0]).toMatchObject({ min_value: min, max_value: max });
  });

  it.each([
    ['Which?', 1, /no answers/],
    ['Ok?\n___\n\nWhich?\n- one', 5, /at least two options/],
    ['- one\n- two', 1, /text of the question is missing/],
    ['Which?\n- one\n- two\nthree', 4, /“three” is no answer/],
    ['Which?\n- one\n[ ] two', 3, /two kinds of answers/],
    ['Which?\n- one\n- two\n- one', 4, /“one” appears twice/],
    ['How much?\n7-1', 2, /begin below its end/],
    ['How?\nGood || Bad', 2, /label of the scale is empty/],
  ])('names the line of what is wrong: %j', (text, line, message) => {
    const { errors, questions } = surveyOf(text);
    expect(errors).toEqual([{ line, message: expect.stringMatching(message) as string }]);
    expect(questions).toHaveLength(text.startsWith('Ok?') ? 1 : 0);
  });

  it('reads the line ends of every system, and nothing from nothing', () => {
    expect(surveyOf('Which?\r\n- a\r\n- b\r\n').questions).toHaveLength(1);
    expect(surveyOf(' \n\n')).toEqual({ title: null, questions: [], errors: [] });
  });
});

it('knows what options are for, labels of several a row, and texts without an answer', () => {
  const { questions, errors } = surveyOf(`> You plan a month.
> Take your time.

Divide your budget (sum 20)
- Rent
- Food

Divide it again (sum)
- Rent
- Food

Rank the seasons (ranking) (optional)
- Spring
- Winter

Which matters? (best-worst)
a) Price
b) Size

When do you use it?
Morning | Evening
[ ] Phone
[ ] Television`);
  expect(errors).toEqual([]);
  expect(questions.map(({ type }) => type)).toEqual([
    'INFO',
    'CONSTANT_SUM',
    'CONSTANT_SUM',
    'RANK',
    'BEST_WORST',
    'MATRIX_MULTI',
  ]);
  expect(questions[0]?.text).toBe('You plan a month.\nTake your time.');
  expect(questions[1]).toMatchObject({ text: 'Divide your budget', options: ['Rent', 'Food'], total: 20 });
  expect(questions[2]).not.toHaveProperty('total');
  expect(questions[3]).toMatchObject({ text: 'Rank the seasons', required: false });
  expect(questions[5]).toMatchObject({
    scale_labels: ['Morning', 'Evening'],
    sub_questions: ['Phone', 'Television'],
  });
});
