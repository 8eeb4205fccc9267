import type { Arm, Validation } from '@/api/validation';
import { Figured } from './Figured';
import { measuresOf, type Measure } from './figures';
import { ScrollTable } from './ScrollTable';
import '@fontsource/source-serif-4/latin-400-italic.css';

/** Each way to answer for the people, by all measures. */
export function ArmTable({
  of: { arms, level, bestWithoutModel },
  arm,
  own,
}: {
  of: Pick<Validation, 'arms' | 'level' | 'bestWithoutModel'>;
  /** The one to look at. */
  arm: string | null;
  /** Why, in words. */
  own: string;
}) {
  const measures = measuresOf(arms);
  return (
    <ScrollTable caption={`Accuracy and the like of each arm, with ${Math.round(level * 100)} % CI`}>
      <thead>
        <tr>
          <th scope="col">Arm</th>
          {measures.map(({ key, title, symbol }) => (
            <th key={key} scope="col">
              {symbol ? <i className="symbol">{title}</i> : title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {arms.map((each) => (
          <Row
            key={each.key}
            arm={each}
            measures={measures}
            own={each.key === arm ? own : null}
            isBest={each.key === bestWithoutModel}
          />
        ))}
      </tbody>
    </ScrollTable>
  );
}

function Row({
  arm,
  measures,
  own,
  isBest,
}: {
  arm: Arm;
  measures: readonly Measure[];
  own: string | null;
  /** The most accurate answer without a model. */
  isBest: boolean;
}) {
  const details = [own, isBest && 'the most accurate without a model', arm.detail]
    .filter(Boolean)
    .join(' · ');
  return (
    <tr className={own === null ? undefined : 'trust-own'}>
      <th scope="row">
        {arm.label} <span>{details}</span>
        {arm.badge != null && <span className="trust-badge">{arm.badge}</span>}
      </th>
      {measures.map(({ key, digits }) => (
        <td key={key}>
          {key === 'ofCeiling' && arm.kind === 'people' ? (
            <>
              <b>1</b> <span>by definition</span>
            </>
          ) : (
            <Figured figure={arm[key]} digits={digits} />
          )}
        </td>
      ))}
    </tr>
  );
}
