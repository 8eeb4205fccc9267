// The design of a survey as it travels: the tree of nodes, the tables of its loops, and the conditions in both. The API's
// document leaves these open, so they stand here by hand, as `docs/experiments.md` describes them.
import type { components } from './schema';

type Schemas = components['schemas'];

/** `latin`: the rows of a Williams square. */
export type Order = 'fixed' | 'random' | 'latin';

export interface Block {
  block: string;
  questions: string[];
  order?: Order;
  /** Questions that keep their place. */
  pin?: string[];
}

export interface Arm {
  arm: string;
  /** Its id and its name in the survey program that the design was imported from. */
  import_id?: string;
  import_name?: string;
  /** 1 where it is missing. */
  weight?: number;
  flow: FlowNode[];
}

export interface Random {
  random: string;
  /** Its id in the survey program that the design was imported from. */
  import_id?: string;
  /** All of them where it is missing. */
  take?: number;
  order?: Order;
  /** Attributes of twins that the arms are balanced within. */
  strata?: string[];
  of: Arm[];
}

export interface If {
  if: Condition;
  then: FlowNode[];
  else?: FlowNode[];
}

export interface SetFields {
  set: Record<string, string>;
}

export interface Loop {
  /** The table that it has a turn for each row of. */
  loop: string;
  /** All rows where it is missing. */
  take?: number;
  order?: Order;
  flow: FlowNode[];
}

export interface End {
  end: 'complete' | 'screened_out';
}

/** A list is a group. */
export type FlowNode = Block | Random | If | SetFields | Loop | End | FlowNode[];

/** The arms of each random node that deals one of them, however deep it stands. */
export function armsOf(flow: readonly FlowNode[]): [name: string, arms: string[]][] {
  return flow.flatMap((node): [string, string[]][] => {
    if (Array.isArray(node)) return armsOf(node);
    if ('random' in node) {
      const own: [string, string[]][] = node.take === 1 ? [[node.random, node.of.map(({ arm }) => arm)]] : [];
      return [...own, ...node.of.flatMap((arm) => armsOf(arm.flow))];
    }
    if ('if' in node) return [...armsOf(node.then), ...armsOf(node.else ?? [])];
    return 'loop' in node ? armsOf(node.flow) : [];
  });
}

export interface Table {
  columns: string[];
  rows: string[][];
  /** Ids that another survey program has for the rows. */
  row_ids?: string[];
}

/** A survey whose flow is empty asks its questions in their order. */
export interface Design {
  flow: FlowNode[];
  tables: Record<string, Table>;
}

export type Scalar = string | number | boolean;

export const operators = [
  'is',
  'is_not',
  'in',
  'has',
  'has_not',
  'lt',
  'le',
  'gt',
  'ge',
  'contains',
  'matches',
] as const;
export type Operator = (typeof operators)[number];

/** One left side with one operator; `answered` and `held_out` stand alone. */
export type Comparison = {
  answer?: string;
  answered?: string;
  /** 1-based row of a matrix, or position of the option of a constant sum or ranking. */
  row?: number;
  field?: string;
  twin?: string;
  held_out?: string;
} & { [O in Operator]?: Scalar | Scalar[] };

export type Condition = { all: Condition[] } | { any: Condition[] } | { not: Condition } | Comparison;

export type Shuffle = 'none' | 'all' | 'flip' | { subset: number };
export type Scale = 'nominal' | 'ordinal' | 'interval';

/** The logic that a design adds to a question. */
export interface QuestionLogic {
  /** The codes of options or labels in files; 1, 2, 3 and so on where it is missing. */
  codes?: number[];
  /** The order of the options, or of a matrix's labels. */
  shuffle?: Shuffle;
  /** Options, labels or rows that keep their place, as written. */
  pin?: string[];
  /** Options of a multiple choice, as written, that cannot be chosen beside others. */
  exclusive?: string[];
  rowShuffle?: Shuffle;
  showIf?: Condition;
  /** Conditions by the option or row, as written. */
  optionIf?: Record<string, Condition>;
  check?: { expect: string[] };
  scale?: Scale;
  reverse?: boolean;
  /** Rows of a matrix that are reverse-keyed, as written. */
  reverseRows?: string[];
  /** Whether it looks good to agree. */
  desirable?: boolean;
  /** Its text was public before. */
  published?: boolean;
  /** Its id in the survey program that it was imported from. */
  importId?: string;
  /** Ids of its rows or options in that program, as written. */
  partIds?: Record<string, string>;
  /** Name of its columns in that program, if it is not its own. */
  exportTag?: string;
}

export type Finding = Schemas['Finding'];
export type DesignReport = Schemas['DesignReport'];
/** One twin's way through a survey, with invented answers. */
export type SurveyWalk = Schemas['SurveyPreview'];

/** Something that an import did not take as it was. */
export interface ImportEntry {
  /** The question's id in the file. */
  qid?: string;
  /** The question's name in the survey. */
  name?: string;
  code: string;
  severity: 'error' | 'warning' | 'note';
  was: string;
  now: string;
}

/** The report on an imported survey of another program. */
export interface LossReport {
  /** The program that the survey was made in. */
  source?: 'qualtrics' | 'surveyjs';
  kept: { questions: number; live: number; asked: number };
  changed: ImportEntry[];
  lost: ImportEntry[];
  dropped: ImportEntry[];
}
