import type { Arm, Variant } from '@/api/validation';
import type { Paragraph } from '@/ui/FigureHelp';

export interface Measure {
  key: 'accuracy' | 'ofCeiling' | 'r' | 'disattenuated' | 'sdRatio' | 'glass' | 'exact';
  /** Paragraph of the documentation with formula and limits. */
  about: Paragraph;
  title: string;
  digits: number;
  /** Whether it is a symbol of statistics. */
  symbol?: boolean;
  meaning: string;
}

/** The figures of an arm. */
export const measures: readonly Measure[] = [
  {
    key: 'accuracy',
    about: 'twins-beside-their-own-people',
    title: 'Accuracy',
    digits: 3,
    meaning:
      'One minus the distance to the person’s own answer, over the scale. 1: every twin answers as its person. High by itself where people agree with each other: set it beside the empty profile.',
  },
  {
    key: 'ofCeiling',
    about: 'ceilings-and-baselines',
    title: 'Of the ceiling',
    digits: 2,
    meaning:
      'Accuracy by that of the same people, asked again weeks later. Nobody is predicted better than they repeat themselves.',
  },
  {
    key: 'r',
    about: 'twins-beside-their-own-people',
    title: 'r',
    digits: 2,
    symbol: true,
    meaning: 'Correlation of twins with their own people. 0: a twin knows nothing of its person.',
  },
  {
    key: 'disattenuated',
    about: 'ceilings-and-baselines',
    title: 'r without noise',
    digits: 2,
    meaning:
      'r divided by the root of both reliabilities, people’s and twins’: what exact answers of both would reach. Of questions that both repeat well, where everything was asked several times.',
  },
  {
    key: 'sdRatio',
    about: 'twins-and-people-as-two-groups',
    title: 'SD ratio',
    digits: 2,
    meaning:
      'How much twins differ from each other, by how much people do. Below 1: twins are too much alike.',
  },
  {
    key: 'glass',
    about: 'twins-and-people-as-two-groups',
    title: '|Glass|',
    digits: 2,
    meaning: 'By how many standard deviations of the people the mean of the twins is off, up or down.',
  },
  {
    key: 'exact',
    about: 'twins-beside-their-own-people',
    title: 'Exact',
    digits: 2,
    meaning: 'Share of answers that are the person’s own.',
  },
];

/** The measures that these arms have. A disattenuated r needs repeats. */
export const measuresOf = (arms: readonly Arm[]): readonly Measure[] =>
  measures.filter(({ key }) => key !== 'disattenuated' || arms.some((arm) => arm.disattenuated != null));

/** The names of profile texts beside the arms of a validation. */
const variants: Record<Variant, { name: string; detail: string }> = {
  wave1_3: { name: 'Waves 1-3', detail: 'what the person said before the held-out questions' },
  summary: { name: 'Summary', detail: 'a short text of the whole record' },
  full: { name: 'Full', detail: 'the whole record' },
  demographics: { name: 'Demographics', detail: 'age, gender, region and the like alone' },
  empty: { name: 'Empty', detail: 'no profile at all' },
};

export const variantName = (variant: Variant): string => variants[variant].name;
export const variantDetail = (variant: Variant): string => variants[variant].detail;

/** The name of an arm in a sentence. */
export const armName = (arms: readonly Arm[], key: string): string =>
  arms.find((arm) => arm.key === key)?.label ?? key;
