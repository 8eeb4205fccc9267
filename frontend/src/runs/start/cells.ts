import type { components } from '@/api/schema';
import type { Simulation } from '@/api/types';

type Schemas = components['schemas'];
export type Variant = Schemas['PersonaVariant'];
export type Study = Schemas['StudyOverview'];
export type Effort = Schemas['ReasoningEffort'];
type Parameters = Simulation['parameters'];

/** The parameters that a study varies. */
export interface Choice {
  /** Variants; empty for that of a single run. */
  variants: Variant[];
  /** Models; empty for that of a single run. */
  models: string[];
  /** Efforts; empty for that of a single run. */
  efforts: Effort[];
  repeats: number;
  /** Everything once more, with options and labels from the last to the first. */
  reversed: boolean;
  /** Every twin in every combination of arms, instead of in one that it is dealt. */
  everyArm: boolean;
}

export const SINGLE_RUN: Choice = {
  variants: [],
  models: [],
  efforts: [],
  repeats: 1,
  reversed: false,
  everyArm: false,
};

/** Whether it takes more than a single run. */
export const isStudy = ({ variants, models, efforts, repeats, reversed, everyArm }: Choice) =>
  variants.length > 1 || models.length > 1 || efforts.length > 1 || repeats > 1 || reversed || everyArm;

/** The part of a start request that only a study has. */
export const studyToSend = ({ variants, models, efforts, repeats, reversed, everyArm }: Choice) => ({
  ...(everyArm && { arms: 'all' as const }),
  ...(variants.length > 0 && { variants }),
  ...(models.length > 0 && { models }),
  ...(efforts.length > 0 && { reasoningEfforts: efforts }),
  repeats,
  ...(reversed && { orders: ['as_written' as const, 'reversed' as const] }),
});

export const variantNames: Record<Variant, string> = {
  wave1_3: 'Waves 1-3',
  summary: 'Summary',
  full: 'Full',
  demographics: 'Demographics',
  empty: 'Empty',
};

/** The parameters that can set a run apart from a study's others, each in words. */
const facts: [name: string, of: (parameters: Parameters) => string][] = [
  ['Profile text', ({ personaVariant }) => variantNames[personaVariant]],
  ['Model', ({ model }) => model],
  ['Reasoning effort', ({ reasoningEffort }) => reasoningEffort ?? 'the model’s own'],
  ['Arms', ({ cell }) => Object.values(cell?.arms ?? {}).join(', ') || 'dealt'],
  ['Options', ({ cell }) => (cell?.optionOrder === 'reversed' ? 'reversed' : 'as written')],
  ['Repeat', ({ cell }) => String((cell?.repeat ?? 0) + 1)],
];

/** The facts in which runs differ. */
export const differing = (runs: readonly Pick<Simulation, 'parameters'>[]) =>
  facts.filter(([, of]) => new Set(runs.map(({ parameters }) => of(parameters))).size > 1);

/** A run by what sets it apart: `Demographics · repeat 2`; without its repeat if that does not matter. Alone it is a `Single run`. */
export function cellName(
  run: Pick<Simulation, 'parameters'>,
  runs: readonly Pick<Simulation, 'parameters'>[],
  repeats = true,
): string {
  const apart = differing(runs).filter(([name]) => repeats || name !== 'Repeat');
  const named = apart.map(([name, of]) => {
    const words = of(run.parameters);
    return name === 'Repeat' ? `repeat ${words}` : name === 'Options' ? `options ${words}` : words;
  });
  return named.length === 0 ? 'Single run' : named.join(' · ');
}
