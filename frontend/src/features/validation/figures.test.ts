import { expect, it } from 'vitest';
import { axisOf, findingOf, linesOf, sorted, ticksOf, wordsOf } from '@/charts/evidence/tasks';
import { run } from '@/testing/fixtures';
import { offer, validation } from '@/testing/validation';
import { formatDecimal } from '@/ui/numbers';
import { intervalText } from '@/charts/evidence/figures';
import { draftOf, prefillOf, validationToSend } from './form';

const [allais, risk] = validation.tasks;
if (allais === undefined || risk === undefined) throw new Error('the fixture has two tasks');
const unanswered = { ...allais, key: 'late', twins: null, ofCeiling: null };

it('figures have no zero before the point, and no minus before nothing', () => {
  expect([formatDecimal(0.8164, 3), formatDecimal(1.14), formatDecimal(-0.031), formatDecimal(1)]).toEqual([
    '.816',
    '1.14',
    '−.03',
    '1',
  ]);
  expect([formatDecimal(-0.004), formatDecimal(0)]).toEqual(['.00', '.00']);
  const show = (value: number) => formatDecimal(value);
  expect(intervalText({ value: 0.2, n: 90, low: -0.05, high: 0.45 }, show)).toBe('[−.05, .45]');
  expect(intervalText({ value: 0.2, n: 3, low: null, high: null, note: 'n too small' })).toBe('n too small');
});

it('tasks are sorted by what of the ceiling they reach, those without answers last', () => {
  const keys = sorted([unanswered, ...validation.tasks]).map(({ key }) => key);
  expect(keys).toEqual(['risk', 'false', 'ratio', 'pricing', 'allais', 'late']);
});

it('the axis holds all that is drawn, and 1', () => {
  expect(axisOf(validation.tasks)).toEqual([0.5, 1]);
  expect(axisOf([{ ...allais, random: 0.29 }])).toEqual([0.2, 1]);
  expect(axisOf([{ ...risk, twins: { value: 1, low: 0.98, high: 1.04, n: 5 } }])).toEqual([0.6, 1.1]);
  expect(axisOf([])).toEqual([0.9, 1]);
  expect(ticksOf([0.4, 1], 7)).toEqual([0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1]);
  expect(ticksOf([0.4, 1], 4)).toEqual([0.4, 0.6, 0.8, 1]);
  expect(ticksOf([0.5, 1], 4)).toEqual([0.6, 0.8, 1]);
});

it('the finding counts the tasks in which the profile adds more than chance', () => {
  expect(findingOf([...validation.tasks, unanswered])).toBe(
    'In 2 of 5 tasks the empty profile lies below the twins’ interval.',
  );
  expect(findingOf([unanswered])).toBe('');
});

it('a task tells all that is drawn, in words and in the file', () => {
  expect(wordsOf(risk)).toBe(
    'Risk and benefit: twins .832 [.797, .867], empty profile .842, random .690, ceiling .853, .98 of the ceiling',
  );
  expect(wordsOf(unanswered)).toBe('Allais: twins –, empty profile .560, random .500, ceiling .759');
  const [head, line] = linesOf([unanswered]);
  expect(head).toHaveLength(line?.length ?? 0);
  expect(line?.slice(0, 5)).toEqual(['Allais', 2, 100, 0.5, 0.759]);
  expect(line?.slice(-4)).toEqual([null, null, null, null]);
});

it('a run leads to a form that asks for its profile, and for three arms at most', () => {
  const address = (values: Record<string, string>) => new URLSearchParams(values);
  const of = (values: Record<string, string>) => draftOf(address(values), offer, 'wave1_3');
  const { parameters } = run;
  expect(prefillOf({ ...parameters, temperature: 0 }, 'quick')).toEqual({
    items: 'quick',
    variant: 'summary',
    model: 'twinlab-demo',
    temperature: '0',
  });
  expect(of(prefillOf({ ...parameters, temperature: 0 }, 'quick'))).toMatchObject({
    variants: ['wave1_3', 'summary', 'empty'],
    items: 'quick',
    model: 'twinlab-demo',
    temperature: 0,
  });
  const usual = { variants: ['wave1_3', 'demographics', 'empty'], items: 'all', temperature: null };
  expect(of({})).toMatchObject({ ...usual, personaCount: 100 });
  expect(of({ variant: 'empty', items: 'some', temperature: 'hot' })).toMatchObject(usual);
  // What cannot be validated is not asked for.
  expect(of({ variant: 'full' }).variants).toEqual(['wave1_3', 'empty']);
  expect(draftOf(address({}), { ...offer, people: 40 }, 'wave1_3').personaCount).toBe(40);
});

it('nothing is sent before a group pays, and no model that was not named', () => {
  const draft = draftOf(new URLSearchParams(), offer, 'wave1_3');
  expect(validationToSend(draft, undefined)).toBeNull();
  expect(validationToSend({ ...draft, model: ' ', temperature: 0 }, 4)).toEqual({
    groupId: 4,
    personaCount: 100,
    variants: ['wave1_3', 'demographics', 'empty'],
    items: 'all',
    repeats: 1,
    temperature: 0,
  });
});
