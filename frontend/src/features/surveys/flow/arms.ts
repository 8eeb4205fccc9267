import type { Arm, Block, Design, FlowNode } from '@/api/design';
import type { Question } from '@/api/types';
import { questionTypes } from '@/question-types/questionTypes';
import { freeName, isBlock, namesIn } from './nodes';
import { insert, lookUp, put, splitPlace } from './tree';

/** An arm as the wizard asks for it. */
export interface NewArm {
  name: string;
  weight: number;
  /** The text of the field, where the arms differ by one. */
  text: string;
}

export interface NewArms {
  /** The name of the random node. */
  name: string;
  arms: NewArm[];
  /** The field that holds the text in which the arms differ; null where they differ by their questions. */
  field: string | null;
  /** The arm of each question that not everybody is asked, by name; the place of the arm. */
  of: Record<string, number>;
}

/** A plain survey as a flow: one block with all questions. */
export const asFlow = (design: Design, questions: readonly Question[]): Design =>
  design.flow.length > 0
    ? design
    : {
        ...design,
        flow: [{ block: freeName('main', namesIn(design)), questions: questions.map(({ name }) => name) }],
      };

/** Puts arms before a block; the questions of an arm leave the block. Returns the design and the place of the arms. */
export function withArms(
  design: Design,
  at: string,
  { name, arms, field, of }: NewArms,
): { design: Design; at: string } {
  const node = lookUp(design, at) as FlowNode | undefined;
  const block = node !== undefined && isBlock(node) ? node : null;
  const names = new Set([...namesIn(design), name]);
  const own = (place: number) => block?.questions.filter((question) => of[question] === place) ?? [];
  const flowOf = (arm: NewArm, place: number): FlowNode[] => {
    if (field !== null) return [{ set: { [field]: arm.text } }];
    const questions = own(place);
    if (questions.length === 0) return [];
    const label = freeName(arm.name, names);
    names.add(label);
    return [{ block: label, questions }];
  };
  const random: FlowNode = {
    random: name,
    take: 1,
    of: arms.map((arm, place): Arm => ({
      arm: arm.name,
      ...(arm.weight !== 1 && { weight: arm.weight }),
      flow: flowOf(arm, place),
    })),
  };
  if (block === null) return { design: insert(design, '/flow', 0, random), at: '/flow/0' };
  const left =
    field === null ? block.questions.filter((question) => of[question] === undefined) : block.questions;
  const { list, index } = splitPlace(at);
  if (left.length === 0) return { design: put(design, at, random), at };
  const { pin: before, ...kept } = block;
  const pin = before?.filter((question) => left.includes(question)) ?? [];
  const rest: Block = { ...kept, questions: left, ...(pin.length > 0 && { pin }) };
  return { design: insert(put(design, at, rest), list, index, random), at };
}

/** Ends the survey for twins that answer the screening question differently. It is the first question that can screen. */
export function withScreening(design: Design, questions: readonly Question[]): Design {
  const question =
    questions.find(({ questionType }) => questionTypes[questionType].screening !== undefined) ?? questions[0];
  if (question === undefined) return design;
  const condition = questionTypes[question.questionType].screening?.(question) ?? {
    not: { answered: question.name },
  };
  const rest = questions.filter(({ name }) => name !== question.name).map(({ name }) => name);
  return {
    ...design,
    flow: [
      { block: 'screen', questions: [question.name] },
      { if: condition, then: [{ end: 'screened_out' }] },
      { block: 'main', questions: rest },
    ],
  };
}

export const withRandomOrder = (design: Design, questions: readonly Question[]): Design => ({
  ...design,
  flow: [{ block: 'main', questions: questions.map(({ name }) => name), order: 'random' }],
});

const NAME = /^[A-Za-z][A-Za-z0-9_.]{0,62}$/;

/** Finds the problem of the arms; `null` where they can be made. */
export function problemOf({ name, arms, field }: NewArms, taken: ReadonlySet<string>): string | null {
  const lower = new Set([...taken].map((one) => one.toLowerCase()));
  const legal = (one: string) => NAME.test(one);
  if (!legal(name)) return 'The name begins with a letter and has only letters a-z, digits, _ and . after it';
  if (lower.has(name.toLowerCase())) return `“${name}” is the name of something else in this survey`;
  if (field !== null && !legal(field))
    return 'The field’s name begins with a letter and has only letters a-z, digits, _ and . after it';
  if (field !== null && field.toLowerCase() === name.toLowerCase())
    return 'The field needs another name than the arms';
  if (arms.length < 2) return 'At least two arms';
  if (arms.some((arm) => arm.name.trim() === '')) return 'Every arm has a name';
  const twice = arms.find((arm, place) => arms.findIndex((one) => one.name === arm.name) !== place);
  return twice === undefined ? null : `Two arms are called “${twice.name}”`;
}
