import type { Draft } from './draft';

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, index) => String(from + index));

const labels: Record<string, readonly string[]> = {
  'Agree 5': ['Strongly disagree', 'Disagree', 'Neutral', 'Agree', 'Strongly agree'],
  'Agree 7': [
    'Strongly disagree',
    'Disagree',
    'Somewhat disagree',
    'Neither agree nor disagree',
    'Somewhat agree',
    'Agree',
    'Strongly agree',
  ],
  Frequency: ['Never', 'Rarely', 'Sometimes', 'Often', 'Always'],
  Satisfaction: [
    'Very dissatisfied',
    'Dissatisfied',
    'Neither satisfied nor dissatisfied',
    'Satisfied',
    'Very satisfied',
  ],
  Importance: [
    'Not at all important',
    'Slightly important',
    'Moderately important',
    'Very important',
    'Extremely important',
  ],
  'Yes / No': ['Yes', 'No'],
  '0-10': numbers(0, 10),
};

type Ends = Pick<Draft, 'min' | 'max' | 'minDescription' | 'maxDescription'>;

const ends: Record<string, Ends> = {
  '0-10': { min: 0, max: 10, minDescription: 'Not at all', maxDescription: 'Completely' },
  '0-100': { min: 0, max: 100, minDescription: 'Not at all', maxDescription: 'Completely' },
  '1-7': { min: 1, max: 7, minDescription: 'Strongly disagree', maxDescription: 'Strongly agree' },
  'Likely 0-10': { min: 0, max: 10, minDescription: 'Not at all likely', maxDescription: 'Extremely likely' },
  Percent: { min: 0, max: 100, minDescription: '0 %', maxDescription: '100 %' },
};

/** Labels that surveys use over and over, by the name that the form shows. */
export const labelScales = Object.entries(labels);

/** Ends that surveys use over and over, by the name that the form shows. */
export const endScales = Object.entries(ends);

/** The draft already has what the scale would give it. */
export function isChosen(draft: Draft, part: Partial<Draft>): boolean {
  return Object.entries(part).every(
    ([field, value]) => JSON.stringify(draft[field as keyof Draft]) === JSON.stringify(value),
  );
}
