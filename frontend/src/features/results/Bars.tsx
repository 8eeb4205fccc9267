import type { Tally } from '@/api/types';
import { count } from '@/ui/format';

/** Horizontal bars with their counts and shares: readable without seeing the bars. */
export function Bars({ counts }: { counts: readonly Tally[] }) {
  return (
    <dl className="bars">
      {counts.map(({ value, count: number, share }) => (
        <div key={value}>
          <dt>{value}</dt>
          <dd>
            <span className="bar" style={{ inlineSize: `calc((100% - var(--figure)) * ${share})` }} />
            <span className="bar-figure">
              {count(number)} ({(share * 100).toFixed(1)} %)
            </span>
          </dd>
        </div>
      ))}
    </dl>
  );
}
