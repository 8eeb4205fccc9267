import type { Compared } from '@/api/types';
import { Estimate } from '@/charts/evidence/Estimate';
import { EvidenceChart } from '@/charts/evidence/EvidenceChart';
import { PairedDots, type Pair } from '@/charts/evidence/PairedDots';
import { Slope } from '@/charts/evidence/Slope';
import { DataTable, type Column } from '@/ui/DataTable';
import { count } from '@/ui/format';
import { formatDecimal, points, signed } from '@/ui/numbers';
import { Balance } from './Balance';
import { EffectAgreement } from './EffectAgreement';
import { contrastName, effectsFound, groupBy, questionName, shownBy } from './effects';

type Arms = NonNullable<Compared['arms']>;
type Effect = Arms['effects'][number];
type NotCompared = Arms['notCompared'][number];

/** The effects of an experiment's arms, among people and among twins, and the balance of its arms. */
export function ArmEffects({ of }: { of: Arms }) {
  const { effects, reference, agreement, twinsInAllArms, notCompared, covariates, unusedCovariates } = of;
  return (
    <>
      <h2>Effects of arms, against {reference}</h2>
      {agreement != null && (
        <>
          <h3>{effectsFound(agreement)}</h3>
          <EffectAgreement of={agreement} within={twinsInAllArms} />
        </>
      )}
      {covariates.length > 0 && (
        <p className="muted">
          Effects are also adjusted for {covariates.join(', ')} by regression (Lin), in the table and the CSV.
        </p>
      )}
      {unusedCovariates.map(({ name, reason }) => (
        <p key={name} className="muted">
          Not adjusted for {name}: {reason}.
        </p>
      ))}
      {effects.length > 0 && (
        <>
          <EffectChart effects={effects} notCompared={notCompared} />
          <SlopeChart effects={effects} />
          <DataTable
            rows={effects}
            rowKey={({ item, arm, category }) => `${item} ${arm} ${category ?? ''}`}
            columns={columns(covariates.length > 0)}
            name="effects"
            size={50}
          />
        </>
      )}
      <NotComparedList of={notCompared} />
      <Balance of={of.balance} />
    </>
  );
}

/** The reasons why contrasts are missing, each with its contrasts. */
function NotComparedList({ of }: { of: readonly NotCompared[] }) {
  return [...groupBy(of, ({ reason }) => reason)].map(([reason, contrasts]) => (
    <p key={reason} className="muted">
      Not compared, because {reason}: {contrasts.map(contrastName).join('; ')}.
    </p>
  ));
}

/** A side in units of Cohen's d. */
const inD = ({ d, dLow, dHigh }: Effect['people']) => ({ value: d, low: dLow, high: dHigh });

function EffectChart({
  effects,
  notCompared,
}: {
  effects: readonly Effect[];
  notCompared: readonly NotCompared[];
}) {
  const pairs = effects.map((effect) => ({
    heading: questionName(effect),
    key: contrastName(effect),
    name: `${effect.arm} against ${effect.reference}`,
    people: inD(effect.people),
    twins: inD(effect.twins),
    isShown: effect.adjustedPeople.verdict === 'differs',
  }));
  const missing = notCompared.map((contrast) => ({
    heading: questionName(contrast),
    key: contrastName(contrast),
    name: `${contrast.arm} against ${contrast.reference}`,
    people: contrast.people == null ? null : inD(contrast.people),
    twins: contrast.twins == null ? null : inD(contrast.twins),
    isShown: false,
    reason: contrast.reason,
  }));
  const all: (Pair & { heading: string })[] = [...pairs, ...missing];
  const blocks = groupBy(all, ({ heading }) => heading);
  return (
    <EvidenceChart
      title="Effects, people beside twins"
      meta="Cohen’s d with 95 % CI; on grey: effects that people show by the adjusted p"
      about="experiments"
      lines={[
        ['question', 'contrast', 'people', 'people low', 'people high', 'twins', 'twins low', 'twins high'],
        ...effects.map((effect) => [
          questionName(effect),
          `${effect.arm} against ${effect.reference}`,
          effect.people.d,
          effect.people.dLow,
          effect.people.dHigh,
          effect.twins.d,
          effect.twins.dLow,
          effect.twins.dHigh,
        ]),
      ]}
    >
      {(width) => (
        <PairedDots
          blocks={[...blocks].map(([heading, rows]) => ({ key: heading, heading, pairs: rows }))}
          ends={axisOf(all)}
          width={width}
          label="Effects, people beside twins"
        />
      )}
    </EvidenceChart>
  );
}

/** The ends of an axis about 0 that holds all intervals, in fifths of an sd; an effect beyond 3 sd is cut. */
function axisOf(pairs: readonly Pick<Pair, 'people' | 'twins'>[]): [number, number] {
  const ends = pairs
    .flatMap(({ people, twins }) => [people, twins])
    .flatMap((side) => (side === null ? [] : [side.low, side.high]));
  const outwards = (end: number) => Math.min(3, Math.ceil(Math.max(0.2, end) * 5) / 5);
  return [-outwards(-Math.min(...ends)), outwards(Math.max(...ends))];
}

function SlopeChart({ effects }: { effects: readonly Effect[] }) {
  const drawn = effects.map((effect) => ({
    name: contrastName(effect),
    people: inD(effect.people),
    twins: inD(effect.twins),
  }));
  return (
    <EvidenceChart
      title="How large"
      meta="Cohen’s d, a dot an effect, with 95 % CI; on the dashed line both are the same"
      about="experiments"
      lines={[
        ['effect', 'people', 'people low', 'people high', 'twins', 'twins low', 'twins high'],
        ...drawn.map(({ name, people, twins }) => [
          name,
          people.value,
          people.low,
          people.high,
          twins.value,
          twins.low,
          twins.high,
        ]),
      ]}
    >
      {(width) => <Slope effects={drawn} width={width} label="How large effects are among both" />}
    </EvidenceChart>
  );
}

/** A column of effects: of means, or of shares in points. */
const effect = (title: string, side: 'people' | 'twins' | 'gap'): Column<Effect> => ({
  title,
  key: side,
  align: 'right',
  render: (_, row) => {
    const { difference, low, high } = row[side];
    const adjusted = side === 'people' ? row.qPeople : side === 'twins' ? row.qTwins : undefined;
    return (
      <Estimate value={difference} low={low} high={high} show={row.category == null ? signed : points}>
        {side !== 'gap' && (
          <div className="muted">
            d {formatDecimal(row[side].d)}
            {adjusted !== undefined && `, q ${adjusted < 0.001 ? '< .001' : formatDecimal(adjusted, 3)}`}
          </div>
        )}
      </Estimate>
    );
  },
});

/** Effects adjusted for covariates. */
const adjustedEffect: Column<Effect> = {
  title: 'Adjusted: people, twins',
  key: 'adjusted',
  align: 'right',
  render: (_, { peopleAdjusted, twinsAdjusted, category }) => {
    const show = category == null ? signed : points;
    return [peopleAdjusted, twinsAdjusted].map((side, index) =>
      side == null ? (
        <div key={index}>–</div>
      ) : (
        <Estimate key={index} value={side.difference} low={side.low} high={side.high} show={show} />
      ),
    );
  },
};

const columns = (withCovariates: boolean): Column<Effect>[] => [
  {
    title: 'Question',
    key: 'item',
    untitled: true,
    render: (_, row) => (
      <div>
        {row.category == null ? row.item : `${row.item}: ${row.category}, points`}
        {row.madeOf.length > 0 && (
          <div className="muted">one outcome of {count(row.madeOf.length)} questions</div>
        )}
      </div>
    ),
  },
  { title: 'Arm', key: 'arm', render: (_, { arm, reference: base }) => `${arm} against ${base}` },
  effect('People', 'people'),
  effect('Twins', 'twins'),
  effect('Twins less people', 'gap'),
  ...(withCovariates ? [adjustedEffect] : []),
  { title: 'Same sign', key: 'sign', render: (_, { sameSign }) => (sameSign ? 'Yes' : 'No') },
  { title: 'Shown by', key: 'shown', render: (_, row) => shownBy(row) },
];
