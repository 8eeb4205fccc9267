import type { Design } from '@/api/design';
import { operators } from '@/api/design';
import { escaped } from './tree';

// Whether a value has the form of a design. What is of another form is never saved; whether the design can be asked is for
// the server's check to say.

/** The place where a value is not of a design's form, and the reason. */
export class FormError extends Error {
  constructor(
    readonly pointer: string,
    message: string,
  ) {
    super(message);
  }
}

type Members = Record<string, unknown>;
type Read = (value: unknown, at: string) => void;

const refuse = (at: string, message: string): never => {
  throw new FormError(at, message);
};

function members(value: unknown, at: string, what: string): Members {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return refuse(at, `${what} is an object`);
  return value as Members;
}

const text: Read = (value, at) => {
  if (typeof value !== 'string') refuse(at, 'is a text in quotes');
};
const natural: Read = (value, at) => {
  if (!Number.isInteger(value) || (value as number) < 0) refuse(at, 'is a whole number');
};
const any: Read = () => undefined;
const oneOf =
  (...words: string[]): Read =>
  (value, at) => {
    if (typeof value !== 'string' || !words.includes(value)) refuse(at, `is one of ${words.join(', ')}`);
  };
const list =
  (read: Read): Read =>
  (value, at) => {
    if (!Array.isArray(value)) return refuse(at, 'is a list');
    (value as unknown[]).forEach((item, index) => read(item, `${at}/${index}`));
  };
const byName =
  (read: Read): Read =>
  (value, at) =>
    Object.entries(members(value, at, 'This')).forEach(([name, item]) =>
      read(item, `${at}/${escaped(name)}`),
    );

/** An object with these members and no others; those with a `?` may be missing. */
const shape =
  (what: string, fields: Record<string, Read>): Read =>
  (value, at) => {
    const all = members(value, at, what);
    for (const name of Object.keys(all))
      if (!(name in fields) && !(`${name}?` in fields))
        refuse(`${at}/${escaped(name)}`, `does not belong to ${what}`);
    for (const [field, read] of Object.entries(fields)) {
      const name = field.replace('?', '');
      if (all[name] !== undefined) read(all[name], `${at}/${name}`);
      else if (name === field) refuse(at, `${what} needs “${name}”`);
    }
  };

const order = oneOf('fixed', 'random', 'latin');
const nodes: Read = (value, at) => list(node)(value, at);
const arm = shape('an arm', {
  arm: text,
  'import_id?': text,
  'import_name?': text,
  'weight?': natural,
  flow: nodes,
});

const condition: Read = (value, at) => {
  const all = members(value, at, 'A condition');
  const joined = ['all', 'any', 'not'].filter((word) => word in all);
  const [word] = joined;
  if (word !== undefined) {
    if (Object.keys(all).length > 1) refuse(at, 'A condition is one of all, any, not, and a comparison');
    return word === 'not' ? condition(all.not, `${at}/not`) : list(condition)(all[word], `${at}/${word}`);
  }
  const lefts = ['answer', 'answered', 'field', 'twin', 'held_out'].filter((left) => left in all);
  const used = operators.filter((operator) => operator in all);
  const rest = Object.keys(all).find(
    (name) => name !== 'row' && !lefts.includes(name) && !(operators as readonly string[]).includes(name),
  );
  if (rest !== undefined) refuse(`${at}/${escaped(rest)}`, 'does not belong to a condition');
  const alone = lefts[0] === 'answered' || (lefts[0] === 'held_out' && used.length === 0);
  if (lefts.length !== 1 || used.length !== (alone ? 0 : 1))
    refuse(at, 'A comparison has one of answer, field and twin, and one operator; or “answered” alone');
  text(all[lefts[0] ?? ''], `${at}/${lefts[0]}`);
  if ('row' in all) natural(all.row, `${at}/row`);
  if ('in' in all) list(any)(all.in, `${at}/in`);
};

const forms: Record<string, Read> = {
  block: shape('a block', { block: text, questions: list(text), 'order?': order, 'pin?': list(text) }),
  random: shape('a random node', {
    'import_id?': text,
    random: text,
    'take?': natural,
    'order?': order,
    'strata?': list(text),
    of: list(arm),
  }),
  if: shape('an if', { if: condition, then: nodes, 'else?': nodes }),
  set: shape('a set', { set: byName(text) }),
  loop: shape('a loop', { loop: text, 'take?': natural, 'order?': order, flow: nodes }),
  end: shape('an end', { end: oneOf('complete', 'screened_out') }),
};

function node(value: unknown, at: string): void {
  if (Array.isArray(value)) return nodes(value, at);
  const all = members(value, at, 'A node');
  const kind = Object.keys(forms).find((name) => name in all);
  const read =
    forms[kind ?? ''] ?? refuse(at, 'A node has one of block, random, if, set, loop and end, or is a list');
  read(value, at);
}

const design = shape('the design', {
  flow: nodes,
  'tables?': byName(
    shape('a table', { columns: list(text), rows: list(list(text)), 'row_ids?': list(text) }),
  ),
});

/** Throws a {@link FormError}. */
export function readDesign(value: unknown): Design {
  design(value, '');
  return { tables: {}, ...(value as Partial<Design>) } as Design;
}
