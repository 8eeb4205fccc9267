import { Alert } from 'antd';
import { Link } from 'react-router';
import type { Compared } from '@/api/types';
import { Estimate } from '@/charts/evidence/Estimate';
import { mean } from '@/charts/evidence/figures';
import { paths } from '@/paths';
import { DataTable, type Column } from '@/ui/DataTable';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';
import { fixed, percent, withInterval } from '@/ui/numbers';

type Estimates = Compared['rectified'];
type Row = Estimates['estimates'][number];

/** Estimates from the people of the file and the twins of all others, which are right however wrong the twins are. */
export function Rectified({ of }: { of: Estimates }) {
  const { pairing, refusal, reference, estimates, refused, assumption, drawn, twinsInAllArms } = of;
  const reasons = new Map<string, string[]>();
  for (const { name, reason } of refused) reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
  return (
    <section className="people-rectified" aria-label="Rectified estimates">
      <h2>Rectified estimates</h2>
      {refusal != null && <Alert type="info" role="status" title={sentence(refusal)} />}
      {estimates.length > 0 && (
        <>
          <p className="muted">
            What all say for whom the twins stand, from the people of the file and the twins of everybody else
            {drawn ? ', by the probabilities with which people were drawn (DSL)' : ' (PPI++)'}: right however
            wrong the twins are.{' '}
            {pairing === 'cells'
              ? 'People are paired with the twins of their cell. '
              : 'Each person is paired with its own twin. '}
            {reference != null && `Differences are to the arm ${reference}. `}
            {twinsInAllArms && 'Twins stood in every arm: their differences are within twins. '}
            {assumption} How many people and twins to ask: <Link to={paths.planner}>planner</Link>.{' '}
            <FigureHelp about="rectified-estimates">How they are made</FigureHelp>
          </p>
          <DataTable
            rows={estimates}
            rowKey={({ name, category, arm, term }) => `${name} ${category ?? ''} ${arm ?? ''} ${term ?? ''}`}
            columns={columns}
            name="estimates"
            size={50}
          />
        </>
      )}
      {[...reasons].map(([reason, names]) => (
        <p key={reason} className="muted">
          {sentence(reason)} ({names.join(', ')})
        </p>
      ))}
    </section>
  );
}

const sentence = (words: string) => {
  const begun = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(begun) ? begun : `${begun}.`;
};

const figure = (title: string, name: 'people' | 'twins' | 'rectified'): Column<Row> => ({
  title,
  key: name,
  align: 'right',
  render: (_, row) => {
    const { estimate, low, high } = row[name];
    return <Estimate value={estimate} low={low} high={high} show={row.category == null ? mean : shareText} />;
  },
});

const columns: Column<Row>[] = [
  {
    title: 'Estimate',
    key: 'estimate',
    width: '22%',
    untitled: true,
    render: (_, { name, text, category, arm, term }) => (
      <div>
        <code>{name}</code>
        {category != null && <> · {category}</>}
        {arm != null && <> · {arm}</>}
        {term != null && <> · {term}</>}
        <div className="muted">{text}</div>
      </div>
    ),
  },
  {
    title: 'People / other twins',
    key: 'n',
    align: 'right',
    render: (_, { n, others, nWeighted }) => (
      <div>
        {count(n)} / {count(others)}
        {nWeighted != null && <div className="muted">people as {nWeighted.toFixed(1)}</div>}
      </div>
    ),
  },
  figure('People alone', 'people'),
  figure('Twins alone', 'twins'),
  figure('Rectified', 'rectified'),
  { title: 'λ', key: 'lambda', align: 'right', render: (_, { lambda }) => fixed(lambda) },
  { title: 'ρ', key: 'rho', align: 'right', render: (_, { rho }) => fixed(rho) },
  {
    title: 'Width',
    key: 'width',
    align: 'right',
    render: (_, { widthRatio }) => `× ${widthRatio.toFixed(2)}`,
  },
  {
    title: 'What the twins are worth',
    key: 'worth',
    width: '20%',
    render: (_, { sentence: words, note, estimators }) => (
      <div>
        {words}
        {note != null && <div className="muted">{note}</div>}
        <Estimators of={estimators} />
      </div>
    ),
  },
];

/** The estimator that is reported, and the effect by all that fit how twins stood in the arms. */
function Estimators({ of }: { of: Row['estimators'] }) {
  const reported = of.find((each) => each.reported);
  if (reported === undefined) return null;
  return (
    <details>
      <summary>
        By {reported.name}; {of.length - 1} other estimators
      </summary>
      <ul>
        {of.map(({ name, advice, estimate, low, high, lambdas, nEffective }) => (
          <li key={name}>
            <b>{name}</b> {withInterval({ value: estimate, low, high })}, λ{' '}
            {lambdas.map((lambda) => fixed(lambda)).join(' and ')}, as {count(Math.round(nEffective))} people.{' '}
            <span className="muted">{advice}</span>
          </li>
        ))}
      </ul>
    </details>
  );
}

const shareText = (share: number) => percent(share, 1);
