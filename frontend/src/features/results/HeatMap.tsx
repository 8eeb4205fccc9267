import type { QuestionSummary } from '@/api/types';

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
