import { useState } from 'react';
import { Segmented } from 'antd';
import type { components } from '@/api/schema';
import { DataTable, type Column } from '@/ui/DataTable';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';
import { fixed, percent } from '@/ui/numbers';
import { questionColumn } from './questionColumn';
import { Estimate, Figured } from './Estimate';
import { EvidenceChart } from './EvidenceChart';
import { intervalText } from './figures';
import { Reliability, type ReliabilityBin } from './Reliability';

type Schemas = components['schemas'];
type Calibrated = Schemas['Calibration'];
type Question = Schemas['ForecastQuestion'];
type NumberQuestion = Schemas['ForecastNumber'];
type Figure = Schemas['Estimate'];

const views = [
  { value: 'options' as const, label: 'Every option' },
  { value: 'likeliest' as const, label: 'The likeliest option' },
];

/** How far repeated answers can be believed as forecasts of what people answered: chart, bins and scores. */
export function Calibration({ of }: { of: Calibrated }) {
  const [view, setView] = useState<'options' | 'likeliest'>('options');
  const { all, people, repeats, questions, numbers, verdict } = of;
  const forecasts =
    repeats > 1
      ? 'whose twin answered in all ' + count(repeats) + ' repeats'
      : 'whose twin gave probabilities';
  const bins = of[view].flatMap(
    ({ n, forecast, observed, observedLow, observedHigh, low: from, high: to }) => {
      if (forecast == null || observed == null) return [];
      return [{ from, to, n, forecast, observed, low: observedLow ?? null, high: observedHigh ?? null }];
    },
  );
  const title = `What ${repeats > 1 ? 'repeats forecast' : 'twins forecast'}, and what people answered`;
  return (
    <section className="calibration" aria-label="Calibration">
      <Segmented aria-label="Options" options={views} value={view} onChange={setView} />
      <EvidenceChart
        title={title}
        about="forecasts-from-repeats"
        meta={
          view === 'options'
            ? 'Each option of each forecast, in ten bins: its probability, and how often it was the person’s answer, with 95 % CI. Larger dots stand for more forecasts; on the dashed line options come true as often as forecast'
            : 'How sure each forecast was of its likeliest option, in ten bins, and how often that was the person’s answer, with 95 % CI. Larger dots stand for more forecasts; below the dashed line twins are too sure'
        }
        lines={[
          ['from', 'to', 'forecasts', 'forecast', 'came true', 'low', 'high'],
          ...bins.map(({ from, to, n, forecast, observed, low, high }) => [
            from,
            to,
            n,
            forecast,
            observed,
            low,
            high,
          ]),
        ]}
      >
        {(width) => <Reliability bins={bins} width={width} label={title} />}
      </EvidenceChart>
      <DataTable rows={bins} rowKey="from" columns={ofBins} name="bins" size={10} />
      <p>
        {count(people)} people {forecasts}. Brier score <Words figure={all.brier} />, where the people’s own
        shares would reach <Words figure={all.brierOfShares} />: {verdicts[verdict]}. Log score{' '}
        <Words figure={all.logLoss} />. Expected calibration error{' '}
        <Words figure={all.expectedCalibrationError} />.{' '}
        {all.spread != null && (
          <>
            The forecasts spread <Words figure={all.spread} /> times as much as people’s answers.{' '}
          </>
        )}
        <FigureHelp about="forecasts-from-repeats" />
      </p>
      <DataTable rows={questions} rowKey="name" columns={ofQuestions} name="questions" size={50} />
      {numbers.length > 0 && (
        <DataTable rows={numbers} rowKey="name" columns={ofNumbers} name="numbers" size={50} />
      )}
    </section>
  );
}

/** Whether the forecasts are better than a table of the people's shares. */
const verdicts: Record<Schemas['ForecastVerdict'], string> = {
  better: 'the twins know more than these shares',
  worse: 'the twins know less than these shares',
  cannot_tell: 'cannot tell which is better',
};

const Words = ({ figure }: { figure: Figure }) => (
  <>
    <strong>{show(figure.value)}</strong> <span className="muted">{intervalText(figure, show)}</span>
  </>
);

/** Scores differ in their third digit. */
const show = (score: number) => fixed(score, 3);

const ofBins: Column<ReliabilityBin & { from: number; to: number }>[] = [
  {
    title: 'Forecast between',
    key: 'from',
    untitled: true,
    render: (_, { from, to }) => `${Math.round(100 * from)} and ${Math.round(100 * to)} %`,
  },
  { title: 'Forecasts', key: 'n', align: 'right', render: (_, { n }) => count(n) },
  {
    title: 'Mean forecast',
    key: 'forecast',
    align: 'right',
    render: (_, { forecast }) => percent(forecast, 1),
  },
  {
    title: 'Came true',
    key: 'observed',
    align: 'right',
    render: (_, { observed, low, high }) => (
      <Estimate value={observed} low={low} high={high} show={(share) => percent(share, 1)} />
    ),
  },
];

const score = (title: string, of: (row: Question) => Figure | null | undefined): Column<Question> => ({
  title,
  key: title,
  align: 'right',
  render: (_, row) => <Figured figure={of(row)} />,
});

const ofNumbers: Column<NumberQuestion>[] = [
  questionColumn('28%'),
  { title: 'People', key: 'n', align: 'right', render: (_, { crps }) => count(crps.n) },
  { title: 'CRPS', key: 'crps', align: 'right', render: (_, { crps }) => <Figured figure={crps} /> },
  {
    title: 'CRPS of people',
    key: 'people',
    align: 'right',
    render: (_, { crpsOfPeople }) => <Figured figure={crpsOfPeople} />,
  },
  {
    title: 'SD ratio',
    key: 'spread',
    align: 'right',
    render: (_, { spread }) => <Figured figure={spread} />,
  },
];

const ofQuestions: Column<Question>[] = [
  questionColumn('28%'),
  { title: 'People', key: 'n', align: 'right', render: (_, { brier }) => count(brier.n) },
  score('Brier', ({ brier }) => brier),
  score('Brier of shares', ({ brierOfShares }) => brierOfShares),
  score('NLL', ({ logLoss }) => logLoss),
  score('RPS', ({ rankedProbability }) => rankedProbability),
  score('ECE', ({ expectedCalibrationError }) => expectedCalibrationError),
  score('SD ratio', ({ spread }) => spread),
];
