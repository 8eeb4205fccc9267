import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { Tally } from '@/api/types';
import { bins } from './bins';

/** How often each value, or each interval of values, was answered. */
export function Histogram({ counts }: { counts: readonly Tally[] }) {
  return (
    <div className="histogram">
      <ResponsiveContainer width="100%" height={240}>
        <BarChart data={bins(counts)} margin={{ top: 8, right: 8, bottom: 0, left: -16 }} barCategoryGap={1}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis dataKey="label" stroke="var(--ink-soft)" fontSize={12} />
          <YAxis allowDecimals={false} stroke="var(--ink-soft)" fontSize={12} />
          <Tooltip cursor={{ fill: 'var(--surface-2)' }} contentStyle={{ background: 'var(--surface)' }} />
          <Bar dataKey="count" name="Answers" fill="var(--brand)" isAnimationActive={false} />
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}
