import type { Block, Design, End, FlowNode, If, Loop, Random, SetFields } from '@/api/design';

export type Kind = 'block' | 'random' | 'if' | 'set' | 'loop' | 'end' | 'group';

export const kinds: readonly { kind: Kind; name: string; what: string }[] = [
  { kind: 'block', name: 'Block', what: 'questions, asked in an order' },
  { kind: 'random', name: 'Random', what: 'deals arms to the twins' },
  { kind: 'if', name: 'If', what: 'a branch, for some twins only' },
  { kind: 'set', name: 'Set', what: 'gives texts to fields that questions insert' },
  { kind: 'loop', name: 'Loop', what: 'asks the same for rows of a table' },
  { kind: 'end', name: 'End', what: 'the rest is not asked' },
  { kind: 'group', name: 'Group', what: 'holds nodes together' },
];

export const isBlock = (node: FlowNode): node is Block => 'block' in node;
export const isRandom = (node: FlowNode): node is Random => 'random' in node;
export const isIf = (node: FlowNode): node is If => 'if' in node;
export const isSet = (node: FlowNode): node is SetFields => 'set' in node;
export const isLoop = (node: FlowNode): node is Loop => 'loop' in node;
export const isEnd = (node: FlowNode): node is End => 'end' in node;
export const isGroup = (node: FlowNode): node is FlowNode[] => Array.isArray(node);

export function kindOf(node: FlowNode): Kind {
  if (isGroup(node)) return 'group';
  return kinds.find(({ kind }) => kind in node)?.kind ?? 'group';
}

/** The name of a node on screen: `Block dv`, `If`, `End`. */
export function titleOf(node: FlowNode): string {
  const name = kinds.find(({ kind }) => kind === kindOf(node))?.name ?? '';
  const own = isBlock(node) ? node.block : isRandom(node) ? node.random : isLoop(node) ? node.loop : '';
  return own === '' ? name : `${name} ${own}`;
}

/** The lists of nodes in a node, each with its place below the node and what it is called. */
export function listsOf(node: FlowNode): { step: string; label: string; nodes: FlowNode[] }[] {
  if (isGroup(node)) return [{ step: '', label: 'Group', nodes: node }];
  if (isRandom(node))
    return node.of.map((arm, index) => ({
      step: `/of/${index}/flow`,
      label: `Arm ${arm.arm} of ${node.random}`,
      nodes: arm.flow,
    }));
  if (isIf(node))
    return [
      { step: '/then', label: 'If: then', nodes: node.then },
      { step: '/else', label: 'If: else', nodes: node.else ?? [] },
    ];
  return isLoop(node) ? [{ step: '/flow', label: `Loop ${node.loop}`, nodes: node.flow }] : [];
}

/** Every node with its place, parents before children. */
export function* walk(
  nodes: readonly FlowNode[],
  place = '/flow',
): Generator<{ node: FlowNode; at: string }> {
  for (const [index, node] of nodes.entries()) {
    const at = `${place}/${index}`;
    yield { node, at };
    for (const list of listsOf(node)) yield* walk(list.nodes, at + list.step);
  }
}

/** The names of all questions that a block asks. */
export function placed({ flow }: Design): Set<string> {
  return new Set([...walk(flow)].flatMap(({ node }) => (isBlock(node) ? node.questions : [])));
}

/** The names that conditions and pipes can read besides answers and twins. */
export interface Fields {
  /** Fields that a node sets, with their texts. */
  set: Map<string, string[]>;
  /** Random nodes, with their arms. */
  randoms: Map<string, string[]>;
}

export function fieldsOf({ flow }: Design): Fields {
  const fields: Fields = { set: new Map(), randoms: new Map() };
  for (const { node } of walk(flow)) {
    if (isRandom(node))
      fields.randoms.set(
        node.random,
        node.of.map(({ arm }) => arm),
      );
    if (!isSet(node)) continue;
    for (const [name, text] of Object.entries(node.set)) {
      const before = fields.set.get(name) ?? [];
      fields.set.set(name, before.includes(text) ? before : [...before, text]);
    }
  }
  return fields;
}

/** `base`, or `base_2` and so on where something has that name. */
export function freeName(base: string, taken: ReadonlySet<string>): string {
  const lower = new Set([...taken].map((name) => name.toLowerCase()));
  let name = base;
  for (let number = 2; lower.has(name.toLowerCase()); number += 1) name = `${base}_${number}`;
  return name;
}

/** Names of blocks, random nodes and fields. */
export function namesIn(design: Design): Set<string> {
  const { set, randoms } = fieldsOf(design);
  const blocks = [...walk(design.flow)].flatMap(({ node }) => (isBlock(node) ? node.block : []));
  return new Set([...blocks, ...set.keys(), ...randoms.keys(), ...Object.keys(design.tables)]);
}

/** A new node, which has what its kind needs. */
export function newNode(kind: Kind, design: Design): FlowNode {
  const names = namesIn(design);
  if (kind === 'block') return { block: freeName('block', names), questions: [] };
  if (kind === 'random')
    return {
      random: freeName('arm', names),
      take: 1,
      of: [
        { arm: 'control', flow: [] },
        { arm: 'treatment', flow: [] },
      ],
    };
  if (kind === 'if') return { if: { all: [] }, then: [] };
  if (kind === 'set') return { set: { [freeName('text', names)]: '' } };
  if (kind === 'loop') return { loop: Object.keys(design.tables)[0] ?? 'items', flow: [] };
  return kind === 'end' ? { end: 'screened_out' } : [];
}
