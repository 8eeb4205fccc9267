import type { components } from '@/api/schema';
import { adjustmentNames } from '@/charts/tests';
import { count, dateAndTime } from '@/ui/format';
import { variantNames } from '../start/cells';
import type { Deviation, PlanDocument, StudyPlan } from './form';

export const callScopes: Record<components['schemas']['CallScope'], string> = {
  chunk: 'As many as fit',
  block: 'Those of one block',
  question: 'None, each is asked alone',
};

export const memories: Record<components['schemas']['Memory'], string> = {
  none: 'Nothing',
  transcript: 'The twin’s earlier questions and answers',
};

export const shuffleWords = (shuffled: boolean) => (shuffled ? 'Shuffled for each twin' : 'Not shuffled');

const stated = (text: string | undefined) => (text === undefined || text.trim() === '' ? 'not stated' : text);

/** A choice in free words: the program shows figures of its own, weighs no twin, and knows one family of planned tests. */
function unapplied(text: string | undefined): string {
  const said = (text ?? '').trim();
  return said === '' || said.toLowerCase() === 'none' ? stated(text) : `${said} (not applied by the program)`;
}

/** The sections of a plan by heading: free words first, then the program's choices. */
export function sections(plan: PlanDocument): { heading: string; text: string; facts: string[] }[] {
  const choices = plan.choices ?? {};
  const run = plan.run ?? {};
  const planned = [
    run.personaCount != null && `Digital twins in each run: ${count(run.personaCount)}`,
    run.seed != null && `Seed: ${run.seed}`,
    run.temperature != null && `Temperature: ${run.temperature}`,
    (run.models ?? []).length > 0 && `Models: ${(run.models ?? []).join(', ')}`,
    (run.variants ?? []).length > 0 &&
      `Profile texts: ${(run.variants ?? []).map((variant) => variantNames[variant]).join(', ')}`,
    run.repeats != null && `Repeats: ${run.repeats}`,
    run.everyArm != null && (run.everyArm ? 'Every twin in every arm' : 'Each twin in one arm'),
    (run.orders ?? []).includes('reversed') && 'Once more with options in reverse order',
    run.questionsPerCall != null && `Questions per call: ${run.questionsPerCall}`,
    run.callScope != null && `Questions in one call: ${callScopes[run.callScope].toLowerCase()}`,
    run.shuffleOptions != null && `Order of options: ${shuffleWords(run.shuffleOptions).toLowerCase()}`,
    run.memory != null && `Context of later calls: ${memories[run.memory].toLowerCase()}`,
  ].filter((fact) => typeof fact === 'string');
  return [
    { heading: 'Main question', text: plan.mainQuestion ?? '', facts: [] },
    { heading: 'Hypotheses', text: '', facts: plan.hypotheses ?? [] },
    {
      heading: 'Dependent variables',
      text: plan.dependentVariables ?? '',
      facts: [`Primary questions: ${(plan.primaryItems ?? []).join(', ')}`],
    },
    {
      heading: 'Conditions',
      text: plan.conditions ?? '',
      facts: (plan.contrasts ?? []).map(({ of, a, b }) => `Primary contrast, ${of}: ${a} against ${b}`),
    },
    {
      heading: 'Analyses',
      text: plan.analyses ?? '',
      facts: [
        `Metric: ${unapplied(choices.metric)}`,
        `Several tests: ${adjustmentNames[choices.multiplicity ?? 'benjamini_hochberg']}; family: ${unapplied(choices.family)}`,
        `Weights: ${unapplied(choices.weights)}`,
        `Alpha: ${choices.alpha ?? 0.05}`,
      ],
    },
    { heading: 'Outliers and exclusions', text: plan.exclusions ?? '', facts: [] },
    { heading: 'Sample size', text: plan.sampleSize ?? '', facts: planned },
    { heading: 'Other', text: plan.other ?? '', facts: [] },
  ];
}

const fields: Record<string, string> = {
  'run: personaCount': 'Digital twins',
  'run: seed': 'Seed',
  'run: temperature': 'Temperature',
  'run: models': 'Models',
  'run: variants': 'Profile texts',
  'run: everyArm': 'Arms',
  'run: repeats': 'Repeats',
  'run: orders': 'Order of options',
  'run: questionsPerCall': 'Questions per call',
  'run: callScope': 'Questions in one call',
  'run: shuffleOptions': 'Shuffling of options',
  'run: memory': 'Context of later calls',
  'run: set of twins': 'Set of twins',
  'run: twins': 'Digital twins asked',
  'run: stopped': 'Stopped early',
  'survey: title': 'Title of the survey',
  'survey: description': 'Description of the survey',
  'survey: order of questions': 'Order of questions',
  'survey: flow': 'Flow of the survey',
  'survey: tables': 'Tables of the survey',
  data: 'Look at data',
  analysis: 'Further analysis',
  exclusions: 'Exclusions',
};

/** The subject of a deviation; `question fair: text` is `Question fair: text`. */
export const fieldWords = ({ field }: Pick<Deviation, 'field'>) =>
  fields[field] ?? `${field.charAt(0).toUpperCase()}${field.slice(1)}`;

/** Sentences on the answers that existed when the plan was frozen. */
export function dataWords({
  earlierRuns,
  answers,
  seen,
}: NonNullable<StudyPlan['frozen']>['dataBefore']): string {
  const own =
    answers === 0
      ? 'The study had no answers then.'
      : `The study had ${count(answers)} answers then, ${seen ? 'which could be seen' : 'which nobody could see'}.`;
  if (earlierRuns === 0) return own;
  return `${own} ${count(earlierRuns)} earlier ${earlierRuns === 1 ? 'run' : 'runs'} of the same survey had answers.`;
}

/** Formats a time stamp for readers everywhere: `2026-11-26 10:00:00 UTC`. */
export const universal = (at: string) => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;

/** `Draft`, or when it was frozen. */
export const stateWords = (frozenAt: string | null | undefined) =>
  frozenAt == null ? 'Draft' : `Frozen ${dateAndTime(frozenAt)}`;

export const titleOf = ({ title }: Pick<PlanDocument, 'title'>) => title || 'Plan without a title';
