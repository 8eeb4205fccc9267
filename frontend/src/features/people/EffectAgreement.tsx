import type { Compared } from '@/api/types';
import { intervalText, type Figure } from '@/charts/evidence/figures';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';
import { fixed, percent } from '@/ui/numbers';

type Agreed = NonNullable<NonNullable<Compared['arms']>['agreement']>;

/** How well the twins' effects foretell those of people: who finds which, and by how much. */
export function EffectAgreement({
  of,
  within,
}: {
  of: Agreed;
  /** Each twin stood in every arm. */
  within: boolean;
}) {
  const { effects, signAgreement, peopleHoldTwins, shown: found, significant } = of;
  return (
    <>
      <p className="muted">
        {within && 'Twins stood in every arm and are compared with themselves. '}
        The same sign among people and twins: {shown(signAgreement)} of {count(effects)}{' '}
        {effects === 1 ? 'effect' : 'effects'}; a coin finds half. {percent(peopleHoldTwins)} of the people’s
        intervals contain the twins’ effect. <FigureHelp about="experiments" />
      </p>
      <Significant of={found} opposite={significant.both - significant.bothSameSign} />
      <Foretold of={of} />
    </>
  );
}

/** Effects by the side that shows them. */
function Significant({
  of: { counts: of, sensitivity, falseAlarms, agreeByChance },
  opposite,
}: {
  of: Agreed['shown'];
  /** Effects that are significant on both sides with opposite signs. */
  opposite: number;
}) {
  const all = of.both + of.peopleOnly + of.twinsOnly + of.neither;
  return (
    <>
      <table className="effect-significance">
        <caption>Who shows an effect, by the adjusted p over {count(all)}</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">Twins show it</th>
            <th scope="col">Twins do not</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">People show it</th>
            <Cell n={of.both} mark="◉" name="both" />
            <Cell n={of.peopleOnly} mark="○" name="people only" />
          </tr>
          <tr>
            <th scope="row">People do not</th>
            <Cell n={of.twinsOnly} mark="●" name="twins only" />
            <Cell n={of.neither} mark="◌" name="neither" />
          </tr>
        </tbody>
      </table>
      <p className="muted">
        {sensitivity == null
          ? 'People show no effect that twins could find. '
          : `Sensitivity ${shown(sensitivity)}: of the ${count(sensitivity.n)} effects that people show, twins show ${count(of.both)}. `}
        {falseAlarms != null &&
          `Of the ${count(falseAlarms.n)} that people do not show, twins show ${count(of.twinsOnly)}: ${shown(falseAlarms)}. `}
        Twins that knew nothing of people would agree on about {Math.round(agreeByChance)} of {count(all)};
        these agree on {count(of.both + of.neither)}.
        {opposite > 0 &&
          ` ${count(opposite)} of those that are significant on both sides ${opposite === 1 ? 'has' : 'have'} opposite signs.`}
      </p>
    </>
  );
}

/** A number of effects, with a mark for each as far as they fit. */
function Cell({ n, mark, name }: { n: number; mark: string; name: string }) {
  return (
    <td>
      {count(n)} {name}
      <div aria-hidden>{n > MOST_MARKS ? `${mark} × ${count(n)}` : mark.repeat(n)}</div>
    </td>
  );
}

/** More marks than these do not fit into a cell of a phone. */
const MOST_MARKS = 12;

/** Correlation and slope of the effects, with and without sampling errors. */
function Foretold({ of: { r, slope, deattenuatedR, deattenuatedSlope } }: { of: Agreed }) {
  if (r == null || slope == null)
    return <p className="muted">Of fewer than 3 effects there is no correlation and no slope.</p>;
  const without = (figure: Figure | null | undefined) =>
    figure == null ? 'cannot tell, their sampling errors explain all that differs' : shown(figure);
  return (
    <p className="muted">
      Of Cohen’s d: <i>r</i> {shown(r)}; without sampling errors {without(deattenuatedR)}. Slope of people’s d
      on twins’ {shown(slope)}; without the sampling errors of the twins’ {without(deattenuatedSlope)}.{' '}
      {exaggeration(deattenuatedSlope)}
    </p>
  );
}

/** A sentence on the slope without sampling errors. Twins that are exact but few have a slope below 1 without it (attenuation). */
function exaggeration(slope: Figure | null | undefined): string {
  if (slope?.low == null || slope.high == null)
    return 'It is unclear whether twins exaggerate effects: sampling errors alone pull a slope below 1 (attenuation).';
  if (slope.high < 1) return 'It is below 1 beyond attenuation: twins exaggerate effects.';
  if (slope.low > 1) return 'It is above 1: twins understate effects.';
  return 'Its interval contains 1: neither exaggeration nor understatement is shown.';
}

/** `0.80 [0.60, 0.90]`, or why there is no interval. */
const shown = (figure: Figure) => {
  const interval = intervalText(figure);
  return interval === ''
    ? fixed(figure.value)
    : `${fixed(figure.value)} ${interval.startsWith('[') ? interval : `(${interval})`}`;
};
