import type { ValidationRepeats } from '@/api/validation';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';
import { formatDecimal } from '@/ui/numbers';

/** How alike answers are where everything is asked again. */
export function Repeated({
  of: { repeats, identical, icc, repeatsFor90 },
  name,
}: {
  of: ValidationRepeats;
  /** Name of the arm. */
  name: string;
}) {
  return (
    <div>
      <h3 className="trust-repeated">
        {name}, asked {count(repeats)} times
      </h3>
      <p>
        {icc != null && (
          <>
            ICC <strong>{formatDecimal(icc)}</strong>.{' '}
          </>
        )}
        {Math.round(100 * identical)} % of answers were the same again.
        {repeatsFor90 != null &&
          (repeatsFor90 === 1
            ? ' One asking reaches an ICC of .90.'
            : ` ${count(repeatsFor90)} repeats reach an ICC of .90.`)}{' '}
        <FigureHelp about="runs-of-a-study" />
      </p>
    </div>
  );
}
