import type { ModelServer } from '@/api/types';
import { count, duration } from '@/ui/format';

const numbers = ['None', 'One', 'Two', 'Three', 'Four', 'Five', 'Six', 'Seven', 'Eight', 'Nine'];
const numberWord = (n: number) => numbers[n] ?? count(n);

/** The state of a model server in words, with the mark that stands before it. */
export const stateWords = {
  answering: { text: 'Answering', mark: 'success' },
  not_asked: { text: 'Not asked yet', mark: 'default' },
  slowed: { text: 'Slowed by its limit', mark: 'warning' },
  out_of_order: { text: 'Out of order', mark: 'error' },
  no_key: { text: 'No key', mark: 'default' },
} as const;

/** Says in a sentence why calls do not reach a server; null where they do. */
function trouble({ name, state, blockedUntil }: ModelServer, now: number): string | null {
  const wait = blockedUntil == null ? 0 : (Date.parse(blockedUntil) - now) / 1000;
  switch (state) {
    case 'answering':
    case 'not_asked':
      return null;
    case 'slowed':
      return wait >= 1
        ? `${name} is at its limit for another ${duration(wait)}.`
        : `${name} is at its limit.`;
    case 'out_of_order':
      return `${name} is out of order.`;
    case 'no_key':
      return `${name} has no key.`;
  }
}

/** How the servers stand, in a sentence or two: how many have room, and what keeps calls from the others. */
export function headline(servers: readonly ModelServer[], now = Date.now()): string {
  const unasked = servers.filter(({ state }) => state === 'not_asked').length;
  if (unasked > 0) return [...withUnasked(servers, unasked), ...troubles(servers, now)].join(' ');
  const free = servers.filter(({ state }) => state === 'answering').length;
  const [only] = servers;
  if (servers.length === 1 && only !== undefined) return trouble(only, now) ?? `${only.name} has room.`;
  if (free === servers.length) return `All ${numberWord(free).toLowerCase()} servers have room.`;
  const room = `${numberWord(free)} of ${numberWord(servers.length).toLowerCase()} servers ${free <= 1 ? 'has' : 'have'} room.`;
  return [room, ...troubles(servers, now)].join(' ');
}

const troubles = (servers: readonly ModelServer[], now: number) =>
  servers.map((server) => trouble(server, now)).filter((text) => text !== null);

/** How the servers stand of which some were never asked: how many are known to have room, and how many are not known. */
function withUnasked(servers: readonly ModelServer[], unasked: number): string[] {
  if (servers.length === 1) return [`${servers[0]?.name ?? ''} has not been asked yet.`];
  const free = servers.filter(({ state }) => state === 'answering').length;
  const have = (n: number) => (n <= 1 ? 'has' : 'have');
  return [
    `${numberWord(free)} of ${numberWord(servers.length).toLowerCase()} servers ${have(free)} room, ${numberWord(unasked).toLowerCase()} ${have(unasked)} not been asked yet.`,
  ];
}

/** Says how many requests wait for servers that are held back; null where none does. */
export function waitingWords(servers: readonly ModelServer[]): string | null {
  const held = servers.filter(({ state }) => state === 'slowed' || state === 'out_of_order');
  const requests = held.reduce((sum, { traffic }) => sum + traffic.openRequests, 0);
  if (requests === 0) return null;
  const wait = requests === 1 ? '1 request waits' : `${count(requests)} requests wait`;
  const broken = held.some(({ state }) => state === 'out_of_order');
  return broken
    ? `${wait}; nothing fails, and runs go on as soon as the server answers.`
    : `${wait}; nothing fails and nobody has to do anything.`;
}

/** The verdict of a check in words, with the mark that stands before it. */
export const verdictWords = {
  works: { text: 'Works', status: 'success' },
  no_effect: { text: 'Sent, without effect', status: 'warning' },
  not_sent: { text: 'Not sent', status: 'default' },
  not_there: { text: 'Not there', status: 'default' },
  unclear: { text: 'Unclear', status: 'processing' },
} as const;

const abilities: Record<string, string> = {
  schema: 'Schema kept',
  reasoning_effort: 'Reasoning effort',
  service_tier: 'Service tier',
  stop_reason: 'Stop reason',
  logprobs: 'Probabilities of tokens',
  n: 'Several replies a call',
  limits: 'Limits told',
};

/** The name of what a check looks at. */
export const abilityName = (name: string) => abilities[name] ?? name.charAt(0).toUpperCase() + name.slice(1);
