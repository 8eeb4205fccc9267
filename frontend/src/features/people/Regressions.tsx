import type { Compared } from '@/api/types';
import { probability } from '@/charts/tests';
import { DataTable, type Column } from '@/ui/DataTable';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';
import { signed } from '@/ui/numbers';

type Regression = Compared['regressions'][number];
type Row = Regression['terms'][number] & { name: string; pairs: number };

/** The regressions of answers on attributes, of people and of their twins; nothing where none were run. */
export function Regressions({ of }: { of: readonly Regression[] }) {
  if (of.length === 0) return null;
  const rows = of.flatMap(({ name, pairs, terms }) => terms.map((term) => ({ ...term, name, pairs })));
  const share = (number: (regression: Regression) => number) => {
    const all = of.reduce((sum, regression) => sum + number(regression) * regression.terms.length, 0);
    return `${Math.round((100 * all) / rows.length)} %`;
  };
  return (
    <section aria-label="Regressions">
      <h2>Regressions on attributes</h2>
      <p className="muted">
        Each level of an attribute against its first, all attributes together, with HC2 errors.{' '}
        {share(({ differ }) => differ)} of the coefficients differ, {share(({ flipSign }) => flipSign)} have
        the other sign. <FigureHelp about="experiments" />
      </p>
      <DataTable
        rows={rows}
        rowKey={({ name, term }) => `${name} ${term}`}
        columns={columns}
        name="coefficients"
        size={50}
      />
    </section>
  );
}

const coefficient = (
  title: string,
  value: (row: Row) => number,
  error: (row: Row) => number,
): Column<Row> => ({
  title,
  key: title,
  align: 'right',
  render: (_, row) => (
    <div>
      {signed(value(row))}
      <div className="muted">se {error(row).toFixed(2)}</div>
    </div>
  ),
});

const columns: Column<Row>[] = [
  {
    title: 'Question',
    key: 'question',
    untitled: true,
    render: (_, { name, term }) => (
      <>
        <code>{name}</code> · {term}
      </>
    ),
  },
  { title: 'Pairs', key: 'pairs', align: 'right', render: (_, { pairs }) => count(pairs) },
  coefficient(
    'People',
    ({ people }) => people,
    ({ peopleError }) => peopleError,
  ),
  coefficient(
    'Twins',
    ({ twins }) => twins,
    ({ twinsError }) => twinsError,
  ),
  { title: 'Same', key: 'p', align: 'right', render: (_, { p }) => probability(p) },
];
