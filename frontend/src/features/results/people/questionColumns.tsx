import type { Column } from '@/ui/DataTable';
import { count } from '@/ui/format';
import { questionColumn } from '../evidence/questionColumn';
import { probability } from '../charts/tests';
import { intervalText, metricOf, signed, type Item } from './figures';

const mean = (value: number | null | undefined) => value?.toFixed(2) ?? '–';

/** A metric with its interval below it; `–` where the question has none. */
const metric = (title: string, name: string): Column<Item> => ({
  title,
  key: name,
  align: 'right',
  sorter: (one, other) => (metricOf(one, name)?.value ?? -1) - (metricOf(other, name)?.value ?? -1),
  render: (_, item) => {
    const figure = metricOf(item, name);
    if (figure === undefined) return '–';
    return (
      <div>
        {figure.value.toFixed(2)}
        <div className="muted">{intervalText(figure)}</div>
      </div>
    );
  },
});

/** People beside twins, question by question. */
export const questionColumns = (paired: boolean): Column<Item>[] => [
  questionColumn('24%'),
  {
    title: 'n',
    key: 'n',
    align: 'right',
    render: (_, { nPeople, nTwins, nEffective }) => (
      <div>
        {nPeople === nTwins ? count(nPeople) : `${count(nPeople)} / ${count(nTwins)}`}
        {Math.abs(nEffective - nPeople) > 0.05 && <div className="muted">as {nEffective.toFixed(1)}</div>}
      </div>
    ),
  },
  { title: 'Mean, people', key: 'people', align: 'right', render: (_, { meanPeople }) => mean(meanPeople) },
  { title: 'Mean, twins', key: 'twins', align: 'right', render: (_, { meanTwins }) => mean(meanTwins) },
  {
    title: 'Difference',
    key: 'difference',
    align: 'right',
    render: (_, { difference, low, high, equivalent }) =>
      difference == null ? (
        '–'
      ) : (
        <div>
          {signed(difference)}
          {low != null && high != null && (
            <div className="muted">
              [{signed(low)}, {signed(high)}]
            </div>
          )}
          {equivalent === true && <div className="muted">surely the same</div>}
        </div>
      ),
  },
  ...(paired ? [metric('Accuracy', 'accuracy'), metric('r', 'r')] : []),
  metric('SD ratio', 'sd ratio'),
  metric('TVD', 'TVD'),
  {
    title: 'p, q',
    key: 'p',
    align: 'right',
    render: (_, { p, q }) =>
      p == null ? (
        '–'
      ) : (
        <div>
          {probability(p)}
          {q != null && <div className="muted">{probability(q).replace('p', 'q')}</div>}
        </div>
      ),
  },
];
