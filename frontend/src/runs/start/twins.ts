import { getAll } from '@/api/client';
import type { Simulation, SimulationToStart, TwinQuota } from '@/api/types';
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
    twins: (draft.shape === 'own' ? draft.quotas[value] : shares[index]) ?? 0,
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
      const quotas = quotasOf(draft, known.attributes);
      const shares = apportion(
        quotas.map(({ twins }) => twins),
        count,
      );
      const some = quotas.flatMap(({ value }, index) => {
        const n = shares[index] ?? 0;
        return label === null || n === 0 ? [] : [{ n, [label]: value } as TwinQuota];
      });
      return { personaCount: count, quotas: some };
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
