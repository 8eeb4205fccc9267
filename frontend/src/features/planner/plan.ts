import type { components } from '@/api/schema';

type Asked = components['schemas']['StudyToPlan'];
export type Kind = Asked['kind'];
type Name = Exclude<keyof Asked, 'kind' | 'effect'>;
export type Typed = Partial<Record<Name, number | null>>;

export interface Field {
  name: Name;
  label: string;
  extra?: string;
  min?: number;
  max?: number;
}

export const kinds: { kind: Kind; label: string; meaning: string }[] = [
  {
    kind: 'means',
    label: 'Two means',
    meaning: 'An experiment that compares the means of two arms.',
  },
  {
    kind: 'shares',
    label: 'Two shares',
    meaning: 'An experiment that compares the shares of two arms.',
  },
  { kind: 'precision', label: 'A mean', meaning: 'A mean that is to be known to within a margin.' },
  {
    kind: 'mix',
    label: 'People and twins',
    meaning:
      'Few people and many twins, rectified: the cheapest mix (Broska, Howes and van Loon 2024). The correlation comes from a comparison with people.',
  },
  {
    kind: 'factorial',
    label: '2 × 2',
    meaning:
      'The interaction of a 2 × 2 experiment, simulated 4,000 times, with twins beside the people if you like. A main effect of the same size takes a quarter of the people.',
  },
  {
    kind: 'paired',
    label: 'Pairs',
    meaning: 'The difference of two answers of each person, simulated 4,000 times.',
  },
];

const errors: Field[] = [
  { name: 'alpha', label: 'Alpha', extra: 'How often chance may look like a difference', min: 0, max: 1 },
  { name: 'power', label: 'Power', extra: 'How often a real difference is to be found', min: 0, max: 1 },
];

/** Twins beside the people of a simulated design, and people who are given. */
const simulated: Field[] = [
  { name: 'rho', label: 'Correlation', extra: 'Of people with their own twins', min: -1, max: 1 },
  { name: 'others', label: 'Other twins', extra: 'In each cell', min: 0 },
  { name: 'n', label: 'People in each cell', extra: 'Their power is computed', min: 0 },
];

const fields: Record<Kind, Field[]> = {
  means: [{ name: 'd', label: 'Difference', extra: 'In standard deviations of people' }, ...errors],
  shares: [
    { name: 'p', label: 'One share', extra: '0 to 1', min: 0, max: 1 },
    { name: 'q', label: 'The other share', extra: '0 to 1', min: 0, max: 1 },
    ...errors,
  ],
  precision: [
    { name: 'margin', label: 'Margin', extra: 'Half the width of the interval', min: 0 },
    { name: 'sd', label: 'Standard deviation of people', min: 0 },
    { name: 'twinSd', label: 'Or of twins', extra: 'Only with their SD ratio', min: 0 },
    { name: 'sdRatio', label: 'SD ratio', extra: 'Twins’ by people’s, as found beside people', min: 0 },
    { name: 'alpha', label: 'Alpha', extra: 'The interval covers 1 − alpha', min: 0, max: 1 },
  ],
  mix: [
    { name: 'rho', label: 'Correlation', extra: 'Of people with their own twins', min: -1, max: 1 },
    { name: 'pricePerson', label: 'Price of a person', min: 0 },
    { name: 'priceTwin', label: 'Price of a twin', extra: 'In the same currency', min: 0 },
    { name: 'effective', label: 'As precise as', extra: 'So many people alone', min: 0 },
    { name: 'budget', label: 'Or for so much money', min: 0 },
  ],
  factorial: [
    { name: 'd', label: 'Difference of differences', extra: 'In standard deviations of people' },
    ...simulated,
    ...errors,
  ],
  paired: [
    { name: 'd', label: 'Difference', extra: 'In standard deviations of people' },
    {
      name: 'correlation',
      label: 'Correlation of both answers',
      extra: 'Of a person; .5 if empty',
      min: -1,
      max: 1,
    },
    ...simulated,
    ...errors,
  ],
};

export const fieldsOf = (kind: Kind): readonly Field[] => fields[kind];

/** The typed values of the kind's fields. */
export const planToSend = (kind: Kind, typed: Typed): Typed =>
  Object.fromEntries(fields[kind].flatMap(({ name }) => (typed[name] == null ? [] : [[name, typed[name]]])));
