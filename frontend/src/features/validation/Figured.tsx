import type { Figure } from '@/api/validation';
import { formatDecimal } from '@/ui/numbers';
import { intervalText } from './figures';

/** A figure with its interval below it, or why it has none. */
export function Figured({ figure, digits }: { figure: Figure | null | undefined; digits: number }) {
  if (figure == null) return <>–</>;
  return (
    <>
      <b>{formatDecimal(figure.value, digits)}</b> <span>{intervalText(figure, digits)}</span>
    </>
  );
}
