import type { Compared } from '@/api/types';
import { FigureHelp } from '@/ui/FigureHelp';
import { formatDecimal, formatShort } from '@/ui/numbers';

type Outcome = Compared['formulas'][number];
type Reliability = Outcome['people'];

/** The outcomes that formulas compute, with their range and the reliability of scales. */
export function Formulas({ of }: { of: readonly Outcome[] }) {
  if (of.length === 0) return null;
  return (
    <section aria-labelledby="outcomes-of-formulas">
      <h2 id="outcomes-of-formulas">Outcomes of several questions</h2>
      <p className="muted">
        They are among the questions and the effects of arms. <FigureHelp about="experiments" />
      </p>
      <ul>
        {of.map(({ name, formula, low, high, people, twins }) => (
          <li key={name}>
            <b>{name}</b> = <code>{formula}</code>
            {low != null && high != null && `, ${formatShort(low)} to ${formatShort(high)}`}
            <span className="muted">
              {reliability('people', people)}
              {reliability('twins', twins)}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** `; people α .84, ω .85 of 120`; empty where the formula is no scale. */
function reliability(who: string, of: Reliability): string {
  if (of == null) return '';
  const omega = of.omega == null ? '' : `, ω ${formatDecimal(of.omega)}`;
  return `; ${who} α ${formatDecimal(of.alpha)}${omega} of ${of.n}`;
}
