import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts';
import type { Bin, QuestionSummary, Tally } from '@/api/types';
import { count } from '@/ui/format';

/** Horizontal bars with their counts and shares in words. */
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

/** Rows by labels, darker where more twins answered so. */
export function HeatMap({ rows }: { rows: QuestionSummary['rows'] }) {
  const labels = rows[0]?.counts.map(({ value }) => value) ?? [];
  return (
    <div className="heat-map" tabIndex={0} role="group" aria-label="Answers by row">
      <table>
        <thead>
          <tr>
            <td />
            {labels.map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
            <th scope="col">Mean</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ row, mean, counts }) => (
            <tr key={row}>
              <th scope="row">{row}</th>
              {counts.map(({ value, count, share }) => (
                <td
                  key={value}
                  title={`${count} answers`}
                  style={{
                    background: `color-mix(in srgb, var(--brand) ${Math.round(share * 55)}%, var(--surface))`,
                  }}
                >
                  {Math.round(share * 100)} %
                </td>
              ))}
              <td>{mean?.toFixed(2) ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** How often each number, or each interval of numbers, was answered. */
export function Histogram({ bins }: { bins: readonly Bin[] }) {
  // An interval is named by its lower end.
  const bars = bins.map(({ from, count }) => ({ label: String(Math.round(from * 100) / 100), count }));
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
