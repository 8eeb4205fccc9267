import { askedOf } from '@/api/runs';
import { adjustmentNames, type TestRule } from '@/charts/tests';
import { optionsOf } from '@/runs/modelOptions';
import type { Facts } from '@/runs/useFacts';
import { count, date, sentence } from '@/ui/format';
import { percent } from '@/ui/numbers';

/** A sentence for a methods section. */
export function citationOf(facts: Facts): string {
  const who = facts.demoModel ? 'the built-in demo model' : facts.model;
  return [
    `“${facts.surveyTitle}”, simulation ${facts.simulationId}, ${date(facts.created_at)}.`,
    `${count(facts.personaCount)} digital twins (${facts.personasSource}), ${count(facts.totalQuestions)} questions,`,
    `answered by ${who}, seed ${facts.seed}, profile text “${facts.personaVariant}”,`,
    `survey SHA-256 ${facts.surveyHash.slice(0, 12)}, Digital Twin Lab ${facts.programVersion}.`,
    sentence(facts.notice),
  ].join(' ');
}

/** The words behind the model's name. The demo model has no temperature unless somebody gave one. */
function temperatureOf({ temperature, demoModel, notSent }: Facts): string {
  if (temperature != null && notSent.includes('temperature'))
    return ` at its own temperature (${temperature} was not sent)`;
  if (temperature != null) return `${demoModel ? ',' : ''} at temperature ${temperature}`;
  return demoModel ? '' : ' at the model server’s default temperature';
}

/** The options of the model that the run sets, behind its temperature. */
function optionWords({ parameters, notSent }: Facts): string {
  return optionsOf(parameters)
    .filter(([name]) => !notSent.includes(name.toLowerCase().replaceAll(' ', '_')))
    .map(([name, value]) => `, ${name.toLowerCase()} ${value}`)
    .join('');
}

/** The parameters that the model's replies do not follow. */
function inactiveWords({ notSent, withoutEffect }: Facts): string[] {
  return [
    ...(notSent.length > 0 ? [`Not sent to the model: ${notSent.join(', ')}.`] : []),
    ...(withoutEffect.length > 0 ? [`Sent, without effect: ${withoutEffect.join(', ')}.`] : []),
  ];
}

const intervals = 'Shares stand with Wilson 95 % confidence intervals, means with t intervals.';

/** How the groups of a split are tested. */
function testsOf(rule: TestRule): string {
  const { adjustment, byPlan, words } = rule;
  const corrected = adjustment === 'none' ? 'p not corrected' : `p by ${adjustmentNames[adjustment]}`;
  const over = adjustment === 'none' ? '' : byPlan ? ' over each family' : ' over all of these tests';
  const how = `Differences between groups are tested by χ², Welch’s t test or Welch’s ANOVA, with ${corrected}${over}.`;
  return byPlan ? `${how} ${words}` : how;
}

/** A paragraph for a methods section: who was asked what, by which model, and how the figures were made. */
export function methodOf(
  facts: Facts,
  {
    split,
    narrowed,
    n,
    rule,
  }: { split: string | null; narrowed: readonly string[]; n: number; rule: TestRule | null },
): string {
  const asked = askedOf(facts);
  const answered = facts.successfulRequests;
  const who = facts.demoModel ? 'the built-in demo model, which is no language model' : facts.model;
  return [
    `${count(facts.personaCount)} digital twins (${facts.personasSource}${facts.synthetic ? ', invented profiles' : ''}), chosen with seed ${facts.seed} and described by the profile text “${facts.personaVariant}”, were asked the ${count(facts.totalQuestions)} ${facts.totalQuestions === 1 ? 'question' : 'questions'} of the survey “${facts.surveyTitle}” on ${date(facts.created_at)}.`,
    `Answers were given by ${who}${temperatureOf(facts)}${optionWords(facts)}, up to ${count(facts.questionsPerCall)} questions per call, options ${facts.shuffleOptions ? 'shuffled for every twin' : 'in the order written'}.`,
    ...inactiveWords(facts),
    `Of ${count(asked)} requests ${count(answered)} were answered (${percent(answered / Math.max(1, asked), 1)})${facts.failedRequests > 0 ? ` and ${count(facts.failedRequests)} failed` : ''}${facts.skippedRequests > 0 ? `; ${count(facts.skippedRequests)} more were skipped by the flow` : ''}.`,
    ...(narrowed.length > 0
      ? [`Figures are of the ${count(n)} twins that pass the filter ${narrowed.join('; ')}.`]
      : []),
    intervals,
    ...(split === null || rule === null ? [] : [`Answers are split by ${split}. ${testsOf(rule)}`]),
  ].join(' ');
}
