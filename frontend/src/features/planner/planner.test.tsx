import { expect, test } from 'vitest';
import { fieldsOf, kinds, planToSend } from './plan';

test('each kind sends what is typed of its own fields, and nothing of the others', () => {
  const typed = { d: 0.3, p: 0.5, q: null, alpha: 0.05, power: 0.8, rho: 0.2 };
  expect(planToSend('means', typed)).toEqual({ d: 0.3, alpha: 0.05, power: 0.8 });
  expect(planToSend('shares', typed)).toEqual({ p: 0.5, alpha: 0.05, power: 0.8 });
  expect(planToSend('mix', typed)).toEqual({ rho: 0.2 });
  for (const { kind } of kinds) expect(fieldsOf(kind).length).toBeGreaterThan(2);
});
