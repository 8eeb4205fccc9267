import type { Figure } from '@/api/validation';
import { intervalText } from '@/charts/evidence/figures';
import { formatDecimal } from '@/ui/numbers';

/** A figure with its interval below it, or why it has none. */
export function Figured({ figure, digits }: { figure: Figure | null | undefined; digits: number }) {
  if (figure == null) return <>–</>;
  const show = (value: number) => formatDecimal(value, digits);
  return (
    <>
      <b>{show(figure.value)}</b> <span>{intervalText(figure, show)}</span>
    </>
  );
}
