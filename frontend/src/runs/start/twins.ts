import { getAll } from '@/api/client';
import type { components } from '@/api/schema';
import type { Simulation, SimulationToStart, TwinQuota } from '@/api/types';
import { readPersonaIds, type Ignored } from './selection';

export type QuotaProposal = components['schemas']['QuotaProposal'];
export type Kind = 'all' | 'random' | 'attributes' | 'quotas' | 'ids' | 'run';

/** How many of each value: equally many, in proportion to those that there are, or as typed. */
export type Shape = QuotaProposal['shares'] | 'own';

/** The choice and all that was typed: it stays while another kind is looked at. */
export interface Draft {
  kind: Kind;
  count: number;
  /** Values by label; of several values of one label, any may be had. */
  where: Record<string, string[]>;
  /** The attribute of the quotas. */
  label: string | null;
  shape: Shape;
  /** Twins by value, where they were typed. */
  quotas: Record<string, number>;
  typedIds: string;
  run: Simulation | null;
}

export const DEFAULT_CHOICE: Omit<Draft, 'count'> = {
  kind: 'random',
  where: {},
  label: null,
  shape: 'proportional',
  quotas: {},
  typedIds: '',
  run: null,
};

export interface Attribute {
  label: string;
  values: { value: string; count: number }[];
}

export type Quota = QuotaProposal['quotas'][number];

/** The twins to choose from, as far as they are known. */
export interface Known {
  total: number;
  lastId: number;
  /** Ids below the last one that nobody has. */
  missingIds: readonly number[];
  /** How many twins have the attributes of the draft. */
  pool: number | undefined;
  attributes: Attribute[];
  /** The server's proposal for the draft's quotas, or for those before while it is awaited. */
  proposal: QuotaProposal | undefined;
}

/** The quotas of a draft: as typed or as the server proposes them; none while the proposal is awaited. */
export function quotasOf({ label, shape, quotas }: Draft, { attributes, proposal }: Known): Quota[] {
  if (shape !== 'own') return proposal?.attribute === label ? proposal.quotas : [];
  const values = attributes.find((attribute) => attribute.label === label)?.values ?? [];
  return values.map(({ value, count }) => ({ value, available: count, n: quotas[value] ?? 0 }));
}

/** How many twins a draft chooses, and what of it could not be read. */
export function chosenOf(draft: Draft, known: Known): { personas: number; ignored: Ignored[] } {
  const some = (personas: number) => ({ personas, ignored: [] });
  switch (draft.kind) {
    case 'all':
      return some(known.total);
    case 'random':
      return some(draft.count);
    case 'attributes':
      return some(Math.min(draft.count, known.pool ?? 0));
    case 'quotas':
      return some(quotasOf(draft, known).reduce((sum, { n }) => sum + n, 0));
    case 'ids': {
      const { ids, ignored } = readPersonaIds(draft.typedIds, known.lastId, known.missingIds);
      return { personas: ids.length, ignored };
    }
    case 'run':
      return some(draft.run?.personaCount ?? 0);
  }
}

/** The fields of a start that say which twins it asks. */
type TwinsToSend = Pick<
  SimulationToStart,
  'personaCount' | 'isRandomSelection' | 'selectedPersonaIds' | 'quotas'
>;

/** The first `count` twins of a draft, as a start names them; the server draws those that are not named by their ids. */
export async function twinsToSend(draft: Draft, known: Known, count: number): Promise<TwinsToSend> {
  switch (draft.kind) {
    case 'all':
    case 'random':
      return { personaCount: count, isRandomSelection: true };
    case 'attributes':
      return Object.keys(draft.where).length === 0
        ? { personaCount: count, isRandomSelection: true }
        : { personaCount: count, quotas: [{ n: count, ...draft.where } as TwinQuota] };
    case 'quotas': {
      const { label } = draft;
      const some = quotasOf(draft, known).filter(({ n }) => label !== null && n > 0);
      // The server cuts them to the count.
      const quotas = some.map(({ value, n }) => ({ n, [label ?? '']: value }) as TwinQuota);
      return { personaCount: count, quotas };
    }
    case 'ids':
      return named(readPersonaIds(draft.typedIds, known.lastId, known.missingIds).ids.slice(0, count));
    case 'run': {
      if (draft.run === null) return named([]);
      const path = { simulationId: draft.run.simulationId };
      const twins = await getAll('/api/simulations/{simulationId}/personas', { params: { path } });
      return named(twins.map(({ personaId }) => personaId).slice(0, count));
    }
  }
}

const named = (ids: number[]): TwinsToSend => ({
  personaCount: ids.length,
  isRandomSelection: false,
  selectedPersonaIds: ids,
});
