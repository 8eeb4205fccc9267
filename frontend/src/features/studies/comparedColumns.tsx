import { Tag } from 'antd';
import type { components } from '@/api/schema';
import { Estimate, Figured } from '@/charts/evidence/Estimate';
import { mean } from '@/charts/evidence/figures';
import { questionColumn } from '@/charts/evidence/questionColumn';
import type { Column } from '@/ui/DataTable';
import { count } from '@/ui/format';
import { signed } from '@/ui/numbers';

type Schemas = components['schemas'];
type Run = Schemas['RunBesideReference'];
type Question = Schemas['QuestionInRuns'];
type Repeated = Schemas['QuestionRepeats'];

export const ofRuns = (nameOf: (id: string) => string): Column<Run>[] => [
  { title: 'Run', key: 'run', untitled: true, render: (_, { simulationId }) => nameOf(simulationId) },
  { title: 'Twins in both', key: 'twins', align: 'right', render: (_, { twins }) => count(twins) },
  {
    title: 'Agreement',
    key: 'agreement',
    align: 'right',
    render: (_, { agreement }) => <Figured figure={agreement} />,
  },
  { title: 'Mean r', key: 'r', align: 'right', render: (_, { r }) => <Figured figure={r} /> },
];

const analysisColumn: Column<Question> = {
  title: 'Analysis',
  key: 'analysis',
  render: (_, { analysis }) =>
    analysis === 'preregistered' ? <Tag color="processing">Preregistered</Tag> : <Tag>Exploratory</Tag>,
};

const metric = (title: string, name: string): Column<Question> => ({
  title,
  key: name,
  align: 'right',
  render: (_, { metrics }) => <Figured figure={metrics.find((each) => each.metric === name)} />,
});

/** The questions of a run. A frozen plan says which of them are preregistered, and how p is adjusted. */
export const ofQuestions = (byPlan: boolean): Column<Question>[] => [
  questionColumn('26%'),
  ...(byPlan ? [analysisColumn] : []),
  { title: 'Twins', key: 'twins', align: 'right', render: (_, { twins }) => count(twins) },
  { title: 'Mean, reference', key: 'reference', align: 'right', render: (_, of) => mean(of.meanReference) },
  { title: 'Mean, run', key: 'mean', align: 'right', render: (_, of) => mean(of.meanRun) },
  {
    title: 'Difference',
    key: 'difference',
    align: 'right',
    render: (_, { difference, low, high, options }) =>
      difference == null ? (
        <Shares of={options} />
      ) : (
        <Estimate value={difference} low={low} high={high} show={signed} />
      ),
  },
  {
    title: byPlan ? 'Adjusted p' : 'q',
    key: 'adjusted',
    align: 'right',
    render: (_, { adjustedP, verdict }) => {
      if (adjustedP == null) return '–';
      return verdict === 'differs' ? <strong>{adjustedP.toFixed(3)}</strong> : adjustedP.toFixed(3);
    },
  },
  metric('Same answer', 'exact'),
  metric('TVD', 'TVD'),
];

/** How far the shares of options moved, the farthest first. */
function Shares({ of }: { of: Question['options'] }) {
  const moved = [...of].sort((a, b) => Math.abs(b.difference.value) - Math.abs(a.difference.value))[0];
  if (moved === undefined) return <>–</>;
  if (moved.difference.value === 0) return <>none</>;
  return (
    <>
      {signed(100 * moved.difference.value)} points for “{moved.label}”
    </>
  );
}

/** A coefficient and which one it is. */
function Reliability({ value, of }: { value: number | null | undefined; of: string }) {
  if (value == null) return <>–</>;
  return (
    <>
      {mean(value)} <span className="muted">{of}</span>
    </>
  );
}

export const ofRepeats: Column<Repeated>[] = [
  questionColumn('40%'),
  { title: 'Twins', key: 'twins', align: 'right', render: (_, { twins }) => count(twins) },
  {
    title: 'Same again',
    key: 'identical',
    align: 'right',
    render: (_, { identical }) => `${(100 * identical).toFixed(0)} %`,
  },
  {
    title: 'Reliability',
    key: 'reliability',
    align: 'right',
    render: (_, { icc, alpha }) =>
      alpha == null ? (
        <Reliability value={icc} of="ICC(1)" />
      ) : (
        <Reliability value={alpha} of="α, no order" />
      ),
  },
  {
    title: 'Repeats for .9',
    key: 'for90',
    align: 'right',
    render: (_, { repeatsFor90 }) => repeatsFor90 ?? '–',
  },
];
