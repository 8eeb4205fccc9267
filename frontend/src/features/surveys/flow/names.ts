import type { Design } from '@/api/design';
import type { Question } from '@/api/types';
import { hasOptions, isAsked, isMatrix, questionTypes } from '@/question-types/questionTypes';
import { fieldsOf, isLoop, walk } from './nodes';

/** Attributes of the twins, with their values. */
export type Attributes = readonly { label: string; values: readonly { value: string }[] }[];

/** All that conditions and pipes can name. */
export interface Names {
  questions: readonly Question[];
  /** Fields that are set, with their texts, and random nodes, with their arms. */
  fields: ReadonlyMap<string, readonly string[]>;
  attributes: Attributes;
  /** Columns of the tables that loops go through. */
  columns: readonly string[];
}

export function namesOf(design: Design, questions: readonly Question[], attributes: Attributes): Names {
  const { set, randoms } = fieldsOf(design);
  const tables = [...walk(design.flow)].flatMap(({ node }) =>
    isLoop(node) ? (design.tables[node.loop] ?? []) : [],
  );
  const columns = tables.flatMap((table) => table.columns);
  return {
    questions,
    fields: new Map([...set, ...randoms]),
    attributes,
    columns: columns.length === 0 ? [] : [...new Set([...columns, '_number', '_total'])],
  };
}

export interface Pipe {
  /** The text between the braces. */
  name: string;
  /** The meaning of the pipe. */
  what: string;
}

/** Lists the pipes that can be inserted into a text. */
export function pipesOf({ questions, fields, attributes, columns }: Names, self?: string): Pipe[] {
  return [
    ...[...fields.keys()].map((name) => ({ name: `field:${name}`, what: 'Field or arm' })),
    ...columns.map((name) => ({ name: `loop:${name}`, what: 'Column of the loop’s row' })),
    ...questions
      .filter(({ name, questionType }) => name !== self && isAsked(questionType))
      .map(({ name, text }) => ({ name: `answer:${name}`, what: text })),
    ...attributes.map(({ label }) => ({ name: `twin:${label}`, what: 'Attribute of the twin' })),
  ];
}

/** The values that a question's answer can be compared with; empty where anything can be. */
export function answersOf(
  question: Question,
  row: number | null,
): { value: string | boolean; label: string }[] {
  const type = question.questionType;
  switch (questionTypes[type].reading(row)) {
    case 'boolean':
      return [
        { value: true, label: 'Yes' },
        { value: false, label: 'No' },
      ];
    case 'number':
    case 'rank':
      return [];
    default: {
      const options = hasOptions(type) ? question.options.map(({ text }) => text) : [];
      const texts = isMatrix(type) ? question.scale_labels : options;
      return texts.map((text) => ({ value: text, label: text }));
    }
  }
}
