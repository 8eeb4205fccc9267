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
  const { effects, sameSign, peopleHoldTwins } = of;
  return (
    <>
      <p className="muted">
        {within && 'Twins stood in every arm and are compared with themselves. '}
        Of {count(effects)} {effects === 1 ? 'effect' : 'effects'}, {percent(sameSign)} have the same sign
        among people and twins, and {percent(peopleHoldTwins)} of the people’s intervals contain the twins’
        effect. <FigureHelp about="experiments" />
      </p>
      <Significant of={of} />
      <Foretold of={of} />
    </>
  );
}

/** Effects by the side on which they are significant. */
function Significant({ of: { significant: of, sensitivity } }: { of: Agreed }) {
  return (
    <>
      <table className="effect-significance">
        <caption>Effects that are significant at 5 %</caption>
        <thead>
          <tr>
            <td />
            <th scope="col">Twins: yes</th>
            <th scope="col">Twins: no</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th scope="row">People: yes</th>
            <td>{count(of.both)}</td>
            <td>{count(of.peopleOnly)}</td>
          </tr>
          <tr>
            <th scope="row">People: no</th>
            <td>{count(of.twinsOnly)}</td>
            <td>{count(of.neither)}</td>
          </tr>
        </tbody>
      </table>
      <p className="muted">
        {sensitivity == null
          ? 'People have no significant effect that twins could find.'
          : `Sensitivity ${shown(sensitivity)}: of the ${count(sensitivity.n)} effects that are significant among people, twins find ${count(of.both)}.`}
        {of.both > of.bothSameSign &&
          ` ${count(of.both - of.bothSameSign)} of those that are significant on both sides ${of.both - of.bothSameSign === 1 ? 'has' : 'have'} opposite signs.`}
      </p>
    </>
  );
}

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
