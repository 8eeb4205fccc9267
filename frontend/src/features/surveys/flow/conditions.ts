import { operators, type Comparison, type Condition, type Operator, type Scalar } from '@/api/design';
import type { Question } from '@/api/types';
import type { Reading } from '@/question-types/kind';
import { questionTypes } from '@/question-types/questionTypes';

/** How the conditions of a group are joined. */
export type Joint = 'all' | 'any' | 'none' | 'not all';

/** A condition as it is edited: a group, whose members are comparisons and groups. */
export interface Group {
  joint: Joint;
  members: (Group | Comparison)[];
}

export const joints: readonly { value: Joint; label: string }[] = [
  { value: 'all', label: 'all of these hold' },
  { value: 'any', label: 'any of these holds' },
  { value: 'none', label: 'none of these holds' },
  { value: 'not all', label: 'not all of these hold' },
];

const inner = (condition: Condition): Group | Comparison =>
  'all' in condition || 'any' in condition || 'not' in condition ? groupOf(condition) : condition;

export function groupOf(condition: Condition): Group {
  if ('all' in condition) return { joint: 'all', members: condition.all.map(inner) };
  if ('any' in condition) return { joint: 'any', members: condition.any.map(inner) };
  if (!('not' in condition)) return { joint: 'all', members: [condition] };
  const { not } = condition;
  if ('all' in not) return { joint: 'not all', members: not.all.map(inner) };
  if ('any' in not) return { joint: 'none', members: not.any.map(inner) };
  return { joint: 'none', members: [inner(not)] };
}

export const isGroup = (member: Group | Comparison): member is Group => 'joint' in member;

export function conditionOf({ joint, members }: Group): Condition {
  const conditions = members.map((member) => (isGroup(member) ? conditionOf(member) : member));
  const [only] = conditions;
  if (joint === 'all') return only !== undefined && conditions.length === 1 ? only : { all: conditions };
  if (joint === 'any') return { any: conditions };
  if (joint === 'not all') return { not: { all: conditions } };
  return {
    not:
      only !== undefined && conditions.length === 1 && !('all' in only) && !('any' in only)
        ? only
        : { any: conditions },
  };
}

/** The left side of a comparison, as the value of a select: `answer:Q3`, `answer:Q5#2`, `field:fee`, `twin:Age`. */
export function leftOf({ answer, answered, row, field, twin, held_out: heldOut }: Comparison): string {
  const question = answer ?? answered;
  if (question !== undefined) return `answer:${question}${row === undefined ? '' : `#${row}`}`;
  if (field !== undefined) return `field:${field}`;
  return twin !== undefined ? `twin:${twin}` : `held_out:${heldOut ?? ''}`;
}

/** The name of what a left side reads, and which kind of thing that is. */
export function readLeft(left: string): { kind: string; name: string; row: number | null } {
  const cut = left.indexOf(':');
  const [kind, rest] = [left.slice(0, cut), left.slice(cut + 1)];
  const hash = kind === 'answer' ? rest.lastIndexOf('#') : -1;
  return hash < 0
    ? { kind, name: rest, row: null }
    : { kind, name: rest.slice(0, hash), row: Number(rest.slice(hash + 1)) };
}

export type Test = Operator | 'answered';

export const testOf = (comparison: Comparison): Test =>
  operators.find((operator) => operator in comparison) ?? 'answered';

export const valueOf = (comparison: Comparison): Scalar | Scalar[] | undefined => {
  const test = testOf(comparison);
  return test === 'answered' ? undefined : comparison[test];
};

export function comparisonOf(left: string, test: Test, value: Scalar | Scalar[]): Comparison {
  const { kind, name, row } = readLeft(left);
  const rows = row === null ? {} : { row };
  if (test === 'answered') return { answered: name, ...rows };
  return { [kind]: name, ...rows, [test]: value };
}

export const testNames: Record<Test, string> = {
  is: 'is',
  is_not: 'is not',
  in: 'is one of',
  has: 'includes',
  has_not: 'does not include',
  lt: 'is less than',
  le: 'is at most',
  gt: 'is more than',
  ge: 'is at least',
  contains: 'contains',
  matches: 'matches',
  answered: 'was answered',
};

const ORDERED: readonly Test[] = ['lt', 'le', 'gt', 'ge'];
const WORDS: readonly Test[] = ['contains', 'is', 'is_not', 'matches', 'answered'];

/** The tests of an answer, by what a condition reads in it. */
const tests: Record<Reading, readonly Test[]> = {
  number: ['is', 'is_not', ...ORDERED, 'answered'],
  boolean: ['is', 'is_not', 'answered'],
  option: ['is', 'is_not', 'in', 'answered'],
  options: ['has', 'has_not', 'answered'],
  degree: ['is', 'is_not', 'in', ...ORDERED, 'answered'],
  rank: WORDS,
  text: WORDS,
};

/** The tests that make sense of what is read. */
export function testsFor(left: string, question: Question | undefined): readonly Test[] {
  const { kind, row } = readLeft(left);
  if (kind === 'field') return ['is', 'is_not', 'in', 'contains'];
  if (kind === 'twin') return ['is', 'is_not', 'in', ...ORDERED, 'contains'];
  if (question === undefined) return [...operators, 'answered'];
  return tests[questionTypes[question.questionType].reading(row)];
}

/** A condition in words, for a card that is closed. */
export function inWords(condition: Condition): string {
  const group = groupOf(condition);
  if (group.members.length === 0)
    return group.joint === 'all' || group.joint === 'not all' ? 'nothing to ask yet' : 'never';
  const parts = group.members.map((member) =>
    isGroup(member) ? `(${inWords(conditionOf(member))})` : comparisonInWords(member),
  );
  const joined = parts.join(group.joint === 'any' || group.joint === 'none' ? ' or ' : ' and ');
  return group.joint === 'all' || group.joint === 'any' ? joined : `not: ${joined}`;
}

function comparisonInWords(comparison: Comparison): string {
  const { name, row } = readLeft(leftOf(comparison));
  const test = testOf(comparison);
  const value = valueOf(comparison);
  const shown = value === undefined ? '' : ` ${[value].flat().map(scalarText).join(', ')}`;
  return `${name}${row === null ? '' : ` (row ${row})`} ${testNames[test]}${shown}`;
}

const scalarText = (value: Scalar) => (typeof value === 'boolean' ? (value ? 'Yes' : 'No') : `${value}`);
