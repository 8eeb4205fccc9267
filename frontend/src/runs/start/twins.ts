import { api, getAll } from '@/api/client';
import { attributesQuery } from '@/api/personas';
import type { Simulation } from '@/api/types';
import { apportion, readPersonaIds, type Ignored } from './selection';

export type Kind = 'all' | 'random' | 'attributes' | 'quotas' | 'ids' | 'run';

/** How many of each value: equally many, as many as there are, or as typed. */
export type Shape = 'equal' | 'pool' | 'own';

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
  shape: 'pool',
  quotas: {},
  typedIds: '',
  run: null,
};

export interface Attribute {
  label: string;
  values: { value: string; count: number }[];
}

export interface Quota {
  value: string;
  /** How many have the value. */
  pool: number;
  twins: number;
}

/** The twins to choose from, as far as they are known. */
export interface Known {
  total: number;
  lastId: number;
  /** Ids below the last one that nobody has. */
  missingIds: readonly number[];
  /** How many twins have the attributes of the draft. */
  pool: number | undefined;
  attributes: Attribute[];
}

export function quotasOf(draft: Draft, attributes: Attribute[]): Quota[] {
  const values = attributes.find(({ label }) => label === draft.label)?.values ?? [];
  const shares = apportion(
    values.map(({ count }) => (draft.shape === 'equal' ? 1 : count)),
    draft.count,
  );
  return values.map(({ value, count: pool }, index) => ({
    value,
    pool,
    twins: Math.min(pool, (draft.shape === 'own' ? draft.quotas[value] : shares[index]) ?? 0),
  }));
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
      return some(quotasOf(draft, known.attributes).reduce((sum, { twins }) => sum + twins, 0));
    case 'ids': {
      const { ids, ignored } = readPersonaIds(draft.typedIds, known.lastId, known.missingIds);
      return { personas: ids.length, ignored };
    }
    case 'run':
      return some(draft.run?.personaCount ?? 0);
  }
}

/** The ids of the first `count` twins of a draft; `null` where the server draws them itself. */
export async function idsOf(
  draft: Draft,
  known: Known,
  count: number,
  seed: number,
): Promise<number[] | null> {
  switch (draft.kind) {
    case 'all':
    case 'random':
      return null;
    case 'attributes':
      return drawn(count, seed, draft.where);
    case 'quotas': {
      const { label } = draft;
      if (label === null) return [];
      const quotas = quotasOf(draft, known.attributes);
      const shares = apportion(
        quotas.map(({ twins }) => twins),
        count,
      );
      const parts = quotas.map(({ value }, index) => drawn(shares[index] ?? 0, seed, { [label]: [value] }));
      return (await Promise.all(parts)).flat();
    }
    case 'ids':
      return readPersonaIds(draft.typedIds, known.lastId, known.missingIds).ids.slice(0, count);
    case 'run': {
      if (draft.run === null) return [];
      const path = { simulationId: draft.run.simulationId };
      const twins = await getAll('/api/simulations/{simulationId}/personas', { params: { path } });
      return twins.map(({ personaId }) => personaId).slice(0, count);
    }
  }
}

async function drawn(n: number, seed: number, where: Draft['where']): Promise<number[]> {
  if (n === 0) return [];
  const params = { path: { n }, query: { seed, ...attributesQuery(where) } };
  return (await api.get('/api/personas/random/{n}', { params })).map(({ id }) => id);
}
