import type { Simulation } from '@/api/types';
import type { Items, ValidationOffer, ValidationToStart, Variant } from '@/api/validation';

/** Twins that a validation asks where nothing else is chosen. */
export const TWINS = 100;

/** The form as it is filled in. */
export interface Draft {
  groupId: number | null;
  personaCount: number;
  variants: Variant[];
  items: Items;
  repeats: number;
  /** The product's usual one where it is empty. */
  model: string;
  temperature: number | null;
}

/** The address parameters that the page begins with: the profile, the model and the temperature of a run. */
export const prefillOf = (
  { personaVariant, model, temperature }: Simulation['parameters'],
  items: Items = 'all',
): Record<string, string> => ({
  ...(items === 'quick' && { items }),
  variant: personaVariant,
  model,
  ...(temperature != null && { temperature: String(temperature) }),
});

/**
 * The form as the address says, else as usual: the headline, the demographics and the empty profile. Another variant
 * takes the place of the demographics, so that a validation has three arms at most before somebody adds one.
 */
export function draftOf(
  address: URLSearchParams,
  { people, variants }: ValidationOffer,
  headline: Variant,
): Draft {
  const asked = address.get('variant');
  const beside = asked !== null && asked !== headline && asked !== 'empty' ? asked : 'demographics';
  const temperature = Number.parseFloat(address.get('temperature') ?? '');
  return {
    groupId: null,
    personaCount: Math.min(TWINS, people),
    variants: variants.filter((variant) => [headline, beside, 'empty'].includes(variant)),
    items: address.get('items') === 'quick' ? 'quick' : 'all',
    repeats: 1,
    model: address.get('model') ?? '',
    temperature: Number.isNaN(temperature) ? null : temperature,
  };
}

/** The body of the start request; null where no group pays yet. */
export function validationToSend(draft: Draft, group: number | undefined): ValidationToStart | null {
  const { personaCount, variants, items, repeats, model, temperature } = draft;
  if (group === undefined) return null;
  return {
    groupId: group,
    personaCount,
    variants,
    repeats,
    items,
    ...(model.trim() !== '' && { model: model.trim() }),
    ...(temperature !== null && { temperature }),
  };
}
