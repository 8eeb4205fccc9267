import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { Bin } from '@/api/types';

/** How often each number, or each interval of numbers, was answered. */
export function Histogram({ bins }: { bins: readonly Bin[] }) {
  const bars = bins.map((bin) => ({ label: label(bin), count: bin.count }));
  return (
    <div className="histogram">
      <ResponsiveContainer width="100%" height={240}>
        <BarChart data={bars} margin={{ top: 8, right: 8, bottom: 0, left: -16 }} barCategoryGap={1}>
          <CartesianGrid vertical={false} stroke="var(--line)" />
          <XAxis dataKey="label" interval="equidistantPreserveStart" stroke="var(--ink-soft)" fontSize={12} />
          <YAxis allowDecimals={false} stroke="var(--ink-soft)" fontSize={12} />
          <Tooltip cursor={{ fill: 'var(--surface-2)' }} contentStyle={{ background: 'var(--surface)' }} />
          <Bar dataKey="count" name="Answers" fill="var(--brand)" isAnimationActive={false} />
        </BarChart>
      </ResponsiveContainer>
    </div>
  );
}

/** An interval is named by its lower end. */
const label = ({ from }: Bin) => String(Math.round(from * 100) / 100);
