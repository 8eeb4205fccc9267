import { Estimate, Figured } from '@/charts/evidence/Estimate';
import { mean, metricOf, type Item } from '@/charts/evidence/figures';
import { questionColumn } from '@/charts/evidence/questionColumn';
import { probability } from '@/charts/tests';
import type { Column } from '@/ui/DataTable';
import { count } from '@/ui/format';
import { signed } from '@/ui/numbers';

/** A metric with its interval below it; `–` where the question has none. */
const metric = (title: string, name: string): Column<Item> => ({
  title,
  key: name,
  align: 'right',
  sorter: (one, other) => (metricOf(one, name)?.value ?? -1) - (metricOf(other, name)?.value ?? -1),
  render: (_, item) => <Figured figure={metricOf(item, name)} />,
});

/** People beside twins, question by question. */
export const questionColumns = (paired: boolean, byPlan: boolean): Column<Item>[] => [
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
        <Estimate value={difference} low={low} high={high} show={signed}>
          {equivalent === true && <div className="muted">equivalent</div>}
        </Estimate>
      ),
  },
  ...(paired ? [metric('Accuracy', 'accuracy'), metric('r', 'r')] : []),
  metric('SD ratio', 'sd ratio'),
  metric('TVD', 'TVD'),
  {
    title: byPlan ? 'p, adjusted p' : 'p, q',
    key: 'p',
    align: 'right',
    render: (_, { p, adjustedP }) =>
      p == null ? (
        '–'
      ) : (
        <div>
          {probability(p)}
          {adjustedP != null && (
            <div className="muted">
              {byPlan ? probability(adjustedP) : probability(adjustedP).replace('p', 'q')}
            </div>
          )}
        </div>
      ),
  },
];
