import type { QuestionPayload, QuestionType } from '@/api/types';
import { questionTypes } from '@/question-types/questionTypes';

/** An error in a line, counted from 1. */
export interface LineError {
  line: number;
  message: string;
}

export interface TextSurvey {
  /** The text of a first line that begins with `#`. */
  title: string | null;
  questions: QuestionPayload[];
  errors: LineError[];
}

interface Line {
  number: number;
  text: string;
}

const MOST_QUESTIONS = 500;
const LONGEST_TEXT = 10_000;

const OPTION = /^(?:[-*•○]\s+|[a-z][).]\s+|\(\s?\)\s*)(?=\S)/i;
const SEVERAL = /^(?:\[\s?\]|☐)\s*(?=\S)/;
const NUMBER = String.raw`[-−]?\d+(?:\.\d+)?`;
const RANGE = new RegExp(`^(${NUMBER})\\s*(?:\\.\\.|-|–|to)\\s*(${NUMBER})(?:\\s*[:(]?\\s*(.+?)\\)?)?$`);
const OPEN = /^_{3,}$/;
const NUMBERING = /^(?:Q\s?)?\d+\s*[.):]\s+/i;
/** The types that words in brackets after the text choose. */
const tasks = Object.entries(questionTypes).flatMap(([type, { task }]) =>
  task === undefined ? [] : [{ type: type as QuestionType, task: new RegExp(`\\s*\\(${task}\\)\\s*$`, 'i') }],
);
const TEXT_ONLY = /^>\s*(?=\S)/;
const OPTIONAL = /\s*\(optional\)\s*$/i;

/**
 * A survey from plain text. A blank line stands between questions; the first line is the text. Lines that begin with
 * `- `, `*`, `a)` or `( )` are options, with `[ ]` several may be chosen; `1-7` or `0..100` is a range, `___` an open
 * text. Labels between bars (`Disagree | Agree`) are the scale of a matrix, and the options then its rows, with `[ ]`
 * of several labels each. `(ranking)`, `(best-worst)` or `(sum 100)` after the text says what its options are for. Lines
 * that all begin with `> ` are a text without an answer.
 */
export function surveyOf(text: string): TextSurvey {
  const errors: LineError[] = [];
  const { title, blocks } = partsOf(text);
  const questions = blocks.flatMap((block) => {
    const question = questionOf(block, errors);
    return question === null ? [] : [question];
  });
  const over = blocks[MOST_QUESTIONS]?.[0];
  if (over !== undefined) {
    errors.push({ line: over.number, message: `a survey has at most ${MOST_QUESTIONS} questions` });
  }
  return { title, questions, errors: errors.sort((a, b) => a.line - b.line) };
}

/** The line where the question at a place from 0 begins, in a text without errors. */
export const lineOfQuestion = (text: string, place: number): number | undefined =>
  partsOf(text).blocks[place]?.[0]?.number;

/** The title, and the lines of each question. */
function partsOf(text: string): { title: string | null; blocks: Line[][] } {
  const lines = text.split(/\r?\n/).map((line, index) => ({ number: index + 1, text: line.trim() }));
  const first = lines.find((line) => line.text !== '');
  const title = first?.text.startsWith('# ') === true ? first.text.slice(2).trim() : null;
  return { title, blocks: blocksOf(title === null ? lines : lines.filter((line) => line !== first)) };
}

function blocksOf(lines: Line[]): Line[][] {
  const blocks: Line[][] = [[]];
  for (const line of lines) {
    if (line.text === '') blocks.push([]);
    else blocks.at(-1)?.push(line);
  }
  return blocks.filter((block) => block.length > 0);
}

/** `null` where something is wrong, which is then among the errors. */
function questionOf(block: Line[], errors: LineError[]): QuestionPayload | null {
  const [first, ...rest] = block;
  if (first === undefined) return null;
  const before = errors.length;
  if (block.every((line) => TEXT_ONLY.test(line.text))) {
    const text = block.map((line) => line.text.replace(TEXT_ONLY, '')).join('\n');
    if (text.length > LONGEST_TEXT) {
      errors.push({ line: first.number, message: `the text is longer than ${LONGEST_TEXT} characters` });
      return null;
    }
    return { text, required: false, type: 'INFO' };
  }
  const wrong = (line: Line, message: string) => errors.push({ line: line.number, message });
  const words = [first.text.replace(NUMBERING, '')];
  const single: Line[] = [];
  const several: Line[] = [];
  let scale: Line | null = null;
  let range: Line | null = null;
  let open: Line | null = null;
  if (isAnswer(first.text)) {
    wrong(first, 'the text of the question is missing before its answers');
    return null;
  }
  for (const line of rest) {
    const answered = single.length + several.length > 0 || scale !== null || range !== null || open !== null;
    if (SEVERAL.test(line.text)) several.push({ ...line, text: line.text.replace(SEVERAL, '') });
    else if (OPTION.test(line.text)) single.push({ ...line, text: line.text.replace(OPTION, '') });
    else if (OPEN.test(line.text)) open = line;
    else if (RANGE.test(line.text)) range = line;
    else if (isScale(line.text) && scale === null) scale = line;
    else if (answered) {
      wrong(
        line,
        `“${short(line.text)}” is no answer: options begin with - or [ ], a blank line ends a question`,
      );
    } else words.push(line.text);
  }
  const required = !OPTIONAL.test(words.at(-1) ?? '');
  const whole = words.join('\n').replace(OPTIONAL, '');
  const task = tasks.find((one) => one.task.test(whole));
  const total = task?.task.exec(whole)?.groups?.total;
  const text = task === undefined ? whole : whole.replace(task.task, '');
  if (text.length > LONGEST_TEXT) wrong(first, `the text is longer than ${LONGEST_TEXT} characters`);
  const rows = scale !== null && single.length === 0;
  const kinds = [
    single.length > 0 || scale !== null,
    several.length > 0 && !rows,
    range !== null,
    open !== null,
  ];
  const given = kinds.filter(Boolean).length;
  if (given === 0 && errors.length === before) {
    wrong(first, 'no answers: give options, a range such as 1-7, or ___ for an open text');
  }
  const odd = several[0] ?? range ?? open;
  if (given > 1 && odd !== null) {
    wrong(odd, 'two kinds of answers in one question');
    return null;
  }
  const base = { text, required };
  let question: QuestionPayload = { ...base, type: 'TEXT_ENTRY' };
  if (scale !== null) {
    const labels = scale.text.split('|').map((label) => label.trim());
    if (labels.some((label) => label === '')) wrong(scale, 'a label of the scale is empty');
    unique(labels, scale, wrong);
    const asked = several.length > 0 ? several : single;
    unique(
      asked.map((row) => row.text),
      asked.at(-1) ?? scale,
      wrong,
    );
    question = {
      ...base,
      type: several.length > 0 ? 'MATRIX_MULTI' : 'MATRIX',
      scale_labels: labels,
      sub_questions: asked.map((row) => row.text),
    };
  } else if (single.length + several.length > 0) {
    const options = several.length > 0 ? several : single;
    if (options.length < 2) wrong(options[0] ?? first, 'a choice needs at least two options');
    for (const [index, option] of options.entries()) {
      if (options.findIndex((other) => other.text === option.text) < index) {
        wrong(option, `“${short(option.text)}” appears twice`);
      }
    }
    question = {
      ...base,
      type: task?.type ?? (several.length > 0 ? 'MULTIPLE_CHOICE' : 'SINGLE_CHOICE'),
      options: options.map((option) => option.text),
      ...(total !== undefined && { total: Number(total) }),
    };
  } else if (range !== null) {
    const [, from = '', to = '', ends = ''] = RANGE.exec(range.text) ?? [];
    const [min, max] = [from, to].map((end) => Number(end.replace('−', '-'))) as [number, number];
    if (min >= max) wrong(range, 'the range must begin below its end');
    const [low = '', high = ''] = ends.split(/\s*(?:\/|\||…|→|\bto\b)\s*/);
    question = {
      ...base,
      type: 'SLIDER',
      min_value: min,
      max_value: max,
      min_description: low.trim(),
      max_description: high.trim(),
    };
  }
  return errors.length === before ? question : null;
}

const isScale = (text: string) => text.includes('|') && text.split('|').length >= 2;

const isAnswer = (text: string) => [OPTION, SEVERAL, OPEN, RANGE].some((kind) => kind.test(text));

function unique(texts: string[], line: Line, wrong: (line: Line, message: string) => void): void {
  const twice = texts.find((text, index) => texts.indexOf(text) < index);
  if (twice !== undefined) wrong(line, `“${short(twice)}” appears twice`);
}

const short = (text: string) => (text.length > 40 ? `${text.slice(0, 40)}…` : text);
