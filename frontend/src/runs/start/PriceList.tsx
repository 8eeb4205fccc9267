import { Alert, Button } from 'antd';
import type { StudyPrice } from '@/api/prices';
import { count } from '@/ui/format';
import { priceAge } from '../priceAge';
import { costText, timeText } from './priceTexts';

type Warning = StudyPrice['warnings'][number];

/** The price of a run or of the runs of a study, beside the credits that there are. */
export function PriceList({
  price,
  nameOf,
  onAfford,
}: {
  price: StudyPrice;
  /** The name of one of several runs. */
  nameOf: (run: StudyPrice['runs'][number]) => string;
  /** Asks as many twins as the credits pay for. */
  onAfford?: ((personas: number) => void) | undefined;
}) {
  const { runs, credits, available, remaining, estimate, warnings } = price;
  const isShort = remaining == null || remaining < 0;
  const age = priceAge(runs.map(({ parameters }) => parameters.price?.asOf ?? '').sort()[0] || null);
  const isBatch = estimate.time?.source === 'batch';
  return (
    <>
      <dl className="estimate">
        {runs.length > 1 &&
          runs.map((run, place) => <Row key={place} name={nameOf(run)} value={count(run.credits)} />)}
        <Row
          name={runs.length > 1 ? `Credits needed, ${count(runs.length)} runs` : 'Credits needed'}
          value={count(credits)}
        />
        <dt>Credits available</dt>
        <dd className={isShort ? 'estimate-short' : undefined}>{count(available ?? 0)}</dd>
        {!isShort && <Row name="Credits left" value={count(remaining)} />}
        {estimate.cost != null && <Row name="Money, about" value={costText(estimate.cost)} />}
        {estimate.cost != null && age !== null && <Row name="At" value={age} />}
        <Row name="Calls to the model, about" value={count(estimate.calls)} />
        <Row name="Tokens, about" value={count(estimate.tokens)} />
        <Row name={isBatch ? 'Time' : 'Time, about'} value={timeText(price)} />
        {runs.length === 1 && runs[0] !== undefined && <Row name="Model" value={runs[0].parameters.model} />}
      </dl>
      {warnings.map((warning) => (
        <PriceWarning
          key={warning.code}
          warning={warning}
          affordable={price.affordablePersonas}
          onAfford={onAfford}
        />
      ))}
    </>
  );
}

function PriceWarning({
  warning: { code, message, detail },
  affordable,
  onAfford,
}: {
  warning: Warning;
  affordable: number;
  onAfford: ((personas: number) => void) | undefined;
}) {
  const isShort = code === 'insufficient_credits';
  return (
    <Alert
      type={isShort ? 'warning' : 'info'}
      role="status"
      title={message}
      description={detail}
      action={
        isShort &&
        affordable > 0 &&
        onAfford !== undefined && (
          <Button size="small" onClick={() => onAfford(affordable)}>
            Ask {count(affordable)}
          </Button>
        )
      }
    />
  );
}

const Row = ({ name, value }: { name: string; value: string }) => (
  <>
    <dt>{name}</dt>
    <dd>{value}</dd>
  </>
);
