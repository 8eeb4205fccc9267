import type { Compared } from '@/api/types';
import type { Paragraph } from '@/ui/FigureHelp';
import { fixed, formatInterval } from '@/ui/numbers';

export type Item = Compared['questions'][number];
export type Figure = Omit<Item['metrics'][number], 'metric'>;

/** A sentence for each figure, and the paragraph with formulas and limits. */
export const meanings: [name: string, meaning: string, about: Paragraph][] = [
  [
    'Accuracy',
    '1: every twin answers as its person. High by itself where people agree with each other: set it beside that of a run with an empty persona.',
    'twins-beside-their-own-people',
  ],
  [
    'r',
    'Correlation of twins with their own people. 0: a twin knows nothing of its person.',
    'twins-beside-their-own-people',
  ],
  [
    'r within person',
    'Whether a twin knows where its person differs from the others, over the questions of a person.',
    'twins-beside-their-own-people',
  ],
  ['r of question means', 'Whether twins rank the questions as people do.', 'twins-and-people-as-two-groups'],
  [
    'Difference',
    'Mean of the twins less that of the people. “Equivalent”: they differ by less than 0.2 sd.',
    'intervals',
  ],
  [
    'SD ratio',
    'How much twins differ from each other, by how much people do. Below 1: twins are too alike.',
    'twins-and-people-as-two-groups',
  ],
  [
    'TVD',
    'The part of the answers that would have to change for the two distributions to be equal.',
    'twins-and-people-as-two-groups',
  ],
  [
    'p, q',
    'p: how often a difference like this comes by chance. q allows for all questions of the table.',
    'intervals',
  ],
];

export const metricOf = (item: Item, name: string): Figure | undefined =>
  item.metrics.find(({ metric }) => metric === name);

/** `[0.70, 0.80]`, or why there is no interval. */
export const intervalText = (figure: Figure, show = (value: number) => fixed(value)): string =>
  formatInterval(figure, show) || (figure.note ?? '');

/** `–` where there is none. */
export const mean = (value: number | null | undefined) => (value == null ? '–' : fixed(value));
