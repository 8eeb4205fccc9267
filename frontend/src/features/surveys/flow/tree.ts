import type { Design, FlowNode } from '@/api/design';
import { isBlock, listsOf, walk } from './nodes';
import { without } from './without';

// Changes of a design, each to a new one. Places are JSON pointers into the design: `/flow/2/of/0/flow/1` is a node,
// `/flow/2/of/0/flow` the list that it stands in.

type Json = unknown;

const steps = (pointer: string) =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'));

/** A step down in a JSON pointer. */
export const escaped = (step: string) => step.replaceAll('~', '~0').replaceAll('/', '~1');

export function lookUp(whole: Json, pointer: string): Json {
  return steps(pointer).reduce<Json>(
    (value, step) =>
      typeof value === 'object' && value !== null ? (value as Record<string, Json>)[step] : undefined,
    whole,
  );
}

/** Copies a value with another one at a place. A value of `undefined` removes the member. */
function changed(whole: Json, [step, ...rest]: string[], change: (value: Json) => Json): Json {
  if (step === undefined) return change(whole);
  if (Array.isArray(whole)) return whole.with(Number(step), changed(whole[Number(step)], rest, change));
  const members = (whole ?? {}) as Record<string, Json>;
  const value = changed(members[step], rest, change);
  return value === undefined ? without(members, step) : { ...members, [step]: value };
}

export const change = <Value>(design: Design, pointer: string, to: (value: Value) => Value): Design =>
  changed(design, steps(pointer), (value) => to(value as Value)) as Design;

export const put = (design: Design, pointer: string, node: FlowNode): Design =>
  change<FlowNode>(design, pointer, () => node);

/** The list that a node stands in, and its place there. */
export function splitPlace(pointer: string): { list: string; index: number } {
  const cut = pointer.lastIndexOf('/');
  return { list: pointer.slice(0, cut), index: Number(pointer.slice(cut + 1)) };
}

const listAt = (design: Design, list: string) => lookUp(design, list) as FlowNode[] | undefined;

export function insert(design: Design, list: string, index: number, ...nodes: FlowNode[]): Design {
  return change<FlowNode[] | undefined>(design, list, (there = []) => there.toSpliced(index, 0, ...nodes));
}

/** An `else` that nothing stands in any more goes too. */
export function remove(design: Design, pointer: string): Design {
  const { list, index } = splitPlace(pointer);
  return change<FlowNode[] | undefined>(design, list, (there = []) => {
    const left = there.toSpliced(index, 1);
    return left.length === 0 && list.endsWith('/else') ? undefined : left;
  });
}

/** Moves a node to a place in a list, counted as the lists are before; the design, and where the node is then. */
export function move(
  design: Design,
  from: string,
  list: string,
  index: number,
): { design: Design; at: string } {
  const node = lookUp(design, from) as FlowNode;
  const source = splitPlace(from);
  if (source.list === list) {
    const to = index > source.index ? index - 1 : index;
    return { design: insert(remove(design, from), list, to, node), at: `${list}/${to}` };
  }
  // What stands behind a node moves up once it is gone: in its list, and all lists in there.
  const behind = `${source.list}/`;
  let target = list;
  if (list.startsWith(behind)) {
    const [step = '', ...rest] = list.slice(behind.length).split('/');
    const place = Number(step) - (Number(step) > source.index ? 1 : 0);
    target = [source.list, place, ...rest].join('/');
  }
  return {
    design: remove(insert(design, list, index, node), movedBy(from, list, index)),
    at: `${target}/${index}`,
  };
}

/** The new place of a node once something was inserted into a list. */
function movedBy(pointer: string, list: string, index: number): string {
  if (!pointer.startsWith(`${list}/`)) return pointer;
  const [step = '', ...rest] = pointer.slice(list.length + 1).split('/');
  return [list, Number(step) + (Number(step) >= index ? 1 : 0), ...rest].join('/');
}

/** One place up or down in its list; `null` at the end of it. */
export function nudge(design: Design, pointer: string, by: 1 | -1): { design: Design; at: string } | null {
  const { list, index } = splitPlace(pointer);
  const to = index + by;
  if (to < 0 || to >= (listAt(design, list)?.length ?? 0)) return null;
  return move(design, pointer, list, by === 1 ? to + 1 : to);
}

/** The places that a node can move to: every list but those in it. */
export function targets(design: Design, pointer: string): { list: string; label: string; length: number }[] {
  const all = [{ list: '/flow', label: 'The survey', length: design.flow.length }];
  for (const { node, at } of walk(design.flow)) {
    for (const { step, label, nodes } of listsOf(node))
      all.push({ list: at + step, label, length: nodes.length });
  }
  const own = splitPlace(pointer).list;
  return all.filter(({ list }) => list !== own && list !== pointer && !list.startsWith(`${pointer}/`));
}

/** Takes a question out of its block and puts it into one, at a place counted as the blocks are before. */
export function moveQuestion(
  design: Design,
  name: string,
  from: string | null,
  to: string,
  index: number,
): Design {
  const before = from === null ? undefined : (lookUp(design, from) as FlowNode);
  const place = before !== undefined && isBlock(before) ? before.questions.indexOf(name) : -1;
  if (from === to)
    return withQuestions(design, to, (names) =>
      names.toSpliced(place, 1).toSpliced(place < index ? index - 1 : index, 0, name),
    );
  const gone = from === null ? design : withQuestions(design, from, (names) => names.toSpliced(place, 1));
  return withQuestions(gone, to, (names) => names.toSpliced(index, 0, name));
}

/** A question that leaves its block is pinned there no more. */
export function withQuestions(design: Design, block: string, change: (names: string[]) => string[]): Design {
  const node = lookUp(design, block) as FlowNode;
  if (!isBlock(node)) return design;
  const questions = change(node.questions);
  const pin = node.pin?.filter((name) => questions.includes(name));
  const rest = without(node, 'pin');
  return put(design, block, { ...rest, questions, ...(pin !== undefined && pin.length > 0 && { pin }) });
}

/** Every block, with its place. */
export const blocksOf = ({ flow }: Design) =>
  [...walk(flow)].flatMap(({ node, at }) => (isBlock(node) ? [{ block: node, at }] : []));
