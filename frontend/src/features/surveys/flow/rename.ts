import type { Comparison, Condition, Design, FlowNode, QuestionLogic, Scalar } from '@/api/design';
import type { Question } from '@/api/types';
import { isName } from '@/question-types/draft';
import { isArray } from './isArray';
import { isBlock, isGroup, isIf, isLoop, isRandom, isSet, titleOf, walk } from './nodes';
import { put } from './tree';

// Names of questions, fields, arms and blocks stand in texts, conditions and nodes. A rename follows them everywhere:
// in the questions one by one, and in the design as a whole.

export type Rename =
  | { kind: 'question'; from: string; to: string }
  /** A field that is set, or a random node: both are read as fields. */
  | { kind: 'field'; from: string; to: string }
  /** An arm of the random node `of`. */
  | { kind: 'arm'; of: string; from: string; to: string }
  /** A block may stand at several places, with the same questions. */
  | { kind: 'block'; questions: readonly string[]; from: string; to: string };

const LONGEST_LABEL = 200;

/** Finds the end of a pipe that begins before this text; -1 where it is no pipe: a brace opens, or the line ends. */
function endOfPipe(inside: string): number {
  const stop = /\{|\n|\}\}/.exec(inside);
  return stop?.[0] === '}}' ? stop.index : -1;
}

/** The text with what stands between its double braces changed; `\{{` opens no pipe. */
function withPipes(text: string, change: (pipe: string) => string): string {
  let done = '';
  let rest = text;
  for (;;) {
    const at = rest.indexOf('{{');
    if (at < 0) return done + rest;
    const inside = rest.slice(at + 2);
    const end = rest[at - 1] === '\\' ? -1 : endOfPipe(inside);
    done += rest.slice(0, at + 2);
    if (end >= 0) done += `${change(inside.slice(0, end))}}}`;
    rest = end < 0 ? inside : inside.slice(end + 2);
  }
}

/** Renames a question, or one of its slots in a loop: `Q7` is in `Q7#2`. */
const namedAnew = (name: string, { from, to }: Rename) =>
  name === from || name.startsWith(`${from}#`) ? to + name.slice(from.length) : name;

export function inText(text: string, rename: Rename): string {
  if (rename.kind !== 'question' && rename.kind !== 'field') return text;
  const kind = rename.kind === 'question' ? 'answer' : 'field';
  return withPipes(text, (pipe) => {
    const [, before = '', name = '', after = ''] = /^(\s*\w+\s*:\s*)(.*?)(\s*)$/.exec(pipe) ?? [];
    if (before.replace(':', '').trim() !== kind) return pipe;
    if (kind === 'field') return before + (name === rename.from ? rename.to : name) + after;
    const row = /\.row\d+$/.exec(name)?.[0] ?? '';
    const question = name.slice(0, name.length - row.length);
    return before + namedAnew(question, rename) + row + after;
  });
}

/** The operators whose values name an answer, an arm or a text as written. */
const whole = ['is', 'is_not', 'in', 'has', 'has_not'] as const;

function inComparison(comparison: Comparison, rename: Rename): Comparison {
  const next = { ...comparison };
  if (rename.kind === 'question') {
    if (next.answer !== undefined) next.answer = namedAnew(next.answer, rename);
    if (next.answered !== undefined) next.answered = namedAnew(next.answered, rename);
  }
  const isArm = rename.kind === 'arm' && comparison.field === rename.of;
  if (rename.kind === 'field' && next.field === rename.from) next.field = rename.to;
  const value = (scalar: Scalar): Scalar => {
    if (typeof scalar !== 'string') return scalar;
    return isArm ? (scalar === rename.from ? rename.to : scalar) : inText(scalar, rename);
  };
  for (const operator of whole) {
    const given = next[operator];
    if (given !== undefined) next[operator] = isArray(given) ? given.map(value) : value(given);
  }
  return next;
}

export function inCondition(condition: Condition, rename: Rename): Condition {
  const all = (conditions: Condition[]) => conditions.map((one) => inCondition(one, rename));
  if ('all' in condition) return { all: all(condition.all) };
  if ('any' in condition) return { any: all(condition.any) };
  if ('not' in condition) return { not: inCondition(condition.not, rename) };
  return inComparison(condition, rename);
}

/** Returns the old object where the new one is no different. */
const unlessSame = <Value>(before: Value, after: Value): Value =>
  JSON.stringify(before) === JSON.stringify(after) ? before : after;

function inNode(node: FlowNode, rename: Rename): FlowNode {
  const all = (nodes: FlowNode[]) => nodes.map((one) => inNode(one, rename));
  if (isGroup(node)) return all(node);
  if (isBlock(node)) {
    if (rename.kind === 'block') return isSameBlock(node, rename) ? { ...node, block: rename.to } : node;
    if (rename.kind !== 'question') return node;
    const names = (list: string[]) => list.map((name) => (name === rename.from ? rename.to : name));
    return {
      ...node,
      questions: names(node.questions),
      ...(node.pin !== undefined && { pin: names(node.pin) }),
    };
  }
  if (isRandom(node)) {
    const own = rename.kind === 'arm' && node.random === rename.of;
    return {
      ...node,
      random: rename.kind === 'field' && node.random === rename.from ? rename.to : node.random,
      of: node.of.map((arm) => ({
        ...arm,
        arm: own && arm.arm === rename.from ? rename.to : arm.arm,
        flow: all(arm.flow),
      })),
    };
  }
  if (isIf(node))
    return {
      ...node,
      if: inCondition(node.if, rename),
      then: all(node.then),
      ...(node.else !== undefined && { else: all(node.else) }),
    };
  if (isSet(node)) {
    const field = (name: string) => (rename.kind === 'field' && name === rename.from ? rename.to : name);
    return {
      set: Object.fromEntries(
        Object.entries(node.set).map(([name, text]) => [field(name), inText(text, rename)]),
      ),
    };
  }
  return isLoop(node) ? { ...node, flow: all(node.flow) } : node;
}

const isSameBlock = (
  { block, questions }: { block: string; questions: readonly string[] },
  other: { from: string; questions: readonly string[] },
) => block === other.from && JSON.stringify(questions) === JSON.stringify(other.questions);

/** The design with everything that has the old name under the new one. Cells of tables are inserted as they are. */
export const inDesign = (design: Design, rename: Rename): Design =>
  unlessSame(design, { ...design, flow: design.flow.map((node) => inNode(node, rename)) });

/** A question with everything in it that reads the old name under the new one. Its own name stays. */
export function inQuestion(question: Question, rename: Rename): Question {
  const text = (written: string) => inText(written, rename);
  const part = question as Question & QuestionLogic;
  return unlessSame(question, {
    ...question,
    text: text(question.text),
    options: question.options.map((option) => ({ ...option, text: text(option.text) })),
    scale_labels: question.scale_labels.map(text),
    subQuestions: question.subQuestions.map(text),
    ...(question.minDescription != null && { minDescription: text(question.minDescription) }),
    ...(question.maxDescription != null && { maxDescription: text(question.maxDescription) }),
    ...(part.showIf != null && { showIf: inCondition(part.showIf, rename) }),
    ...(part.optionIf != null && {
      optionIf: Object.fromEntries(
        Object.entries(part.optionIf).map(([option, condition]) => [
          text(option),
          inCondition(condition, rename),
        ]),
      ),
    }),
    // Options as they are written.
    ...(part.pin != null && { pin: part.pin.map(text) }),
    ...(part.exclusive != null && { exclusive: part.exclusive.map(text) }),
    ...(part.check != null && { check: { ...part.check, expect: part.check.expect.map(text) } }),
  } as Question);
}

/** The place of a node in words: `Random fee_arm, arm control › Block dv`. */
export function placeInWords(design: Design, at: string): string {
  const around = [...walk(design.flow)].filter((one) => one.at === at || at.startsWith(`${one.at}/`));
  const words = around.map(({ node, at: own }) => {
    const arm = isRandom(node) ? node.of[Number(at.slice(own.length).split('/')[2])] : undefined;
    return arm === undefined ? titleOf(node) : `${titleOf(node)}, arm ${arm.arm}`;
  });
  return words.join(' › ');
}

const badName = 'A name begins with a letter and has only letters a-z, digits, _ and . after it';
const badLabel = `A name is not blank, has at most ${LONGEST_LABEL} characters, and no # among them`;

/** Why something cannot have the name, with the place of what has it; `null` where it can. */
export function problemOfRename(
  rename: Rename,
  design: Design,
  questions: readonly Question[],
): string | null {
  const { to } = rename;
  if (to === rename.from) return null;
  if (rename.kind === 'question' || rename.kind === 'field') {
    if (to === '' || !isName(to)) return badName;
  } else if (to.trim() === '' || to.length > LONGEST_LABEL || to.includes('#')) return badLabel;
  if (rename.kind === 'question') return takenBy(questions, to, rename.from);
  const taken = [...walk(design.flow)].find(({ node }) => {
    if (rename.kind === 'block')
      return isBlock(node) && node.block === to && !isSameBlock(node, { ...rename, from: to });
    if (rename.kind === 'arm')
      return isRandom(node) && node.random === rename.of && node.of.some(({ arm }) => arm === to);
    return (isRandom(node) && node.random === to) || (isSet(node) && to in node.set);
  });
  if (taken === undefined) return null;
  const place = placeInWords(design, taken.at);
  if (rename.kind === 'arm') return `Another arm of ${place} is called “${to}” already`;
  return isSet(taken.node) ? `${place} sets “${to}” already` : `${place} is called “${to}” already`;
}

/** The place of another question of this name, whatever its case. */
export function takenBy(questions: readonly Question[], name: string, own?: string): string | null {
  const lower = name.trim().toLowerCase();
  const other = questions.find((question) => question.name !== own && question.name.toLowerCase() === lower);
  return other === undefined ? null : `Question ${other.order} is called “${other.name}” already`;
}

/**
 * Renames a field at one node. If nothing else uses the old name, only this node changes; otherwise the field is
 * renamed wherever it is set and read.
 */
export function renameField(
  design: Design,
  questions: readonly Question[],
  at: string,
  from: string,
  to: string,
): { design: Design } | { rename: Rename } | { problem: string } {
  const rename: Rename = { kind: 'field', from, to };
  const problem = problemOfRename(rename, design, questions);
  if (problem === null) return { rename };
  const sets = [...walk(design.flow)].flatMap(({ node, at: place }) =>
    isSet(node) ? [{ node, at: place }] : [],
  );
  const own = sets.find((one) => one.at === at);
  const isElsewhere = sets.some((one) => one.at !== at && to in one.node.set);
  if (own === undefined || to in own.node.set || !isElsewhere) return { problem };
  const set = Object.fromEntries(
    Object.entries(own.node.set).map(([name, text]) => [name === from ? to : name, text]),
  );
  const alone = put(design, at, { set });
  const isKnown =
    inDesign(alone, rename) !== alone ||
    questions.some((question) => inQuestion(question, rename) !== question);
  return isKnown ? { problem: `${problem}, and the survey reads “${from}”` } : { design: alone };
}
