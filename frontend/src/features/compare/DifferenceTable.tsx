import { effectOf, intervalOf, probability, statisticWords } from '@/charts/tests';
import { DataTable, type Column } from '@/ui/DataTable';
import { fixed, points, signed } from '@/ui/numbers';
import { Piped } from '@/ui/Piped';
import type { Difference } from './differences';

/** A line for each thing that can be compared. */
export function DifferenceTable({
  rows,
  names,
  tests,
}: {
  rows: readonly Difference[];
  names: readonly string[];
  tests: number;
}) {
  const columns: Column<Difference>[] = [
    {
      title: 'Question',
      key: 'question',
      render: (_, { question, part, measure, unit }) => (
        <div>
          <a href={`#question-${question.order}`}>
            Q{question.order}. <Piped text={question.text} />
          </a>
          <div className="muted">
            {[part, unit === 'share' && part !== '' ? '' : measure].filter(Boolean).join(' · ')}
          </div>
        </div>
      ),
    },
    ...names.map((name, run): Column<Difference> => ({
      title: name,
      key: name,
      align: 'right',
      render: (_, { values, unit }) => {
        const value = values[run];
        if (value == null) return '–';
        return unit === 'share' ? `${(value * 100).toFixed(1)} %` : fixed(value);
      },
    })),
    ...names.slice(1).map((name, other): Column<Difference> => ({
      title: `${name} − ${names[0] ?? ''}`,
      key: `${name} difference`,
      align: 'right',
      render: (_, { differences, unit }) => {
        const found = differences[other];
        if (found == null) return '–';
        const show = unit === 'share' ? points : signed;
        return (
          <div>
            {show(found.difference)}
            <div className="muted">
              [{show(found.low)}, {show(found.high)}]
            </div>
          </div>
        );
      },
    })),
    {
      title: 'Distance',
      key: 'distance',
      align: 'right',
      sorter: (one, other) => (one.distance ?? -1) - (other.distance ?? -1),
      render: (_, { distance }) => distance?.toFixed(2) ?? '–',
    },
    {
      title: 'Test',
      key: 'test',
      render: (_, { finding }) =>
        finding === undefined ? (
          '–'
        ) : (
          <div>
            {finding.verdict === 'differs' ? (
              <strong>{probability(finding.adjustedP)}</strong>
            ) : (
              probability(finding.adjustedP)
            )}
            <div className="muted">
              {[statisticWords(finding), effectOf(finding), intervalOf(finding)].filter(Boolean).join(', ')}
            </div>
          </div>
        ),
    },
  ];
  return (
    <DataTable
      rows={[...rows]}
      rowKey={({ key }) => key}
      columns={columns}
      name={`differences, ${tests} tests`}
      size={50}
    />
  );
}
