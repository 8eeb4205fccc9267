import type { Compared } from '@/api/types';
import { Estimate } from '@/charts/evidence/Estimate';
import { DataTable, type Column } from '@/ui/DataTable';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';
import { formatDecimal, points, signed } from '@/ui/numbers';
import { contrastName, questionName } from './effects';

type Check = NonNullable<Compared['arms']>['balance'][number];

const ALPHA = 0.05;

/** Checks of what was asked before the arms were dealt, where differences are chance and no effects. */
export function Balance({ of }: { of: readonly Check[] }) {
  if (of.length === 0) return null;
  const found = of.filter(({ people }) => people.p < ALPHA).length;
  return (
    <section aria-labelledby="balance-of-arms">
      <h3 id="balance-of-arms">Balance of the arms</h3>
      <p className="muted">
        Asked before the arms were dealt, or in a drawn order beside them: no effects. Of {count(of.length)}{' '}
        {of.length === 1 ? 'check' : 'checks'}, {count(found)} {found === 1 ? 'has' : 'have'} p below .05
        among people; chance alone gives about {formatDecimal(of.length * ALPHA, 1)}.{' '}
        <FigureHelp about="experiments" />
      </p>
      <DataTable rows={of} rowKey={contrastName} columns={columns} name="checks" size={10} />
    </section>
  );
}

const side = (title: string, key: 'people' | 'twins'): Column<Check> => ({
  title,
  key,
  align: 'right',
  render: (_, row) => {
    const { difference, low, high, p } = row[key];
    return (
      <Estimate value={difference} low={low} high={high} show={row.category == null ? signed : points}>
        <div className="muted">p {p < 0.001 ? '< .001' : formatDecimal(p, 3)}</div>
      </Estimate>
    );
  },
});

const columns: Column<Check>[] = [
  { title: 'Question', key: 'item', untitled: true, render: (_, row) => questionName(row) },
  { title: 'Arm', key: 'arm', render: (_, { arm, reference }) => `${arm} against ${reference}` },
  side('People', 'people'),
  side('Twins', 'twins'),
];
