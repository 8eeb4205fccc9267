import type { Compared } from '@/api/types';
import { Estimate } from '@/charts/evidence/Estimate';
import { EvidenceChart } from '@/charts/evidence/EvidenceChart';
import { Slope } from '@/charts/evidence/Slope';
import { DataTable, type Column } from '@/ui/DataTable';
import { points, signed } from '@/ui/numbers';
import { EffectAgreement } from './EffectAgreement';

type Arms = NonNullable<Compared['arms']>;
type Effect = Arms['effects'][number];

/** The effects of an experiment's arms, among people and among twins. */
export function ArmEffects({ of: { effects, reference, agreement, twinsInAllArms } }: { of: Arms }) {
  return (
    <>
      <h2>Effects of arms, against {reference}</h2>
      {agreement != null && <EffectAgreement of={agreement} within={twinsInAllArms} />}
      <EffectChart effects={effects} />
      <DataTable
        rows={effects}
        rowKey={({ item, arm, category }) => `${item} ${arm} ${category ?? ''}`}
        columns={columns}
        name="effects"
        size={50}
      />
    </>
  );
}

function EffectChart({ effects: found }: { effects: readonly Effect[] }) {
  const side = ({ difference, low, high }: Effect['people']) => ({ value: difference, low, high });
  const drawn = found.map(({ item, arm, category, people, twins }) => ({
    name: [item, category, arm].filter((part) => part != null).join(' · '),
    people: side(people),
    twins: side(twins),
  }));
  return (
    <EvidenceChart
      title="Effects among people and among twins"
      meta="A dot an effect, with 95 % CI; on the dashed line both are the same"
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
      {(width) => <Slope effects={drawn} width={width} label="Effects among people and among twins" />}
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
    return (
      <Estimate value={difference} low={low} high={high} show={row.category == null ? signed : points} />
    );
  },
});

const columns: Column<Effect>[] = [
  {
    title: 'Question',
    key: 'item',
    untitled: true,
    render: (_, { item, category }) => (category == null ? item : `${item}: ${category}, points`),
  },
  { title: 'Arm', key: 'arm', dataIndex: 'arm' },
  effect('People', 'people'),
  effect('Twins', 'twins'),
  effect('Twins less people', 'gap'),
  { title: 'Same sign', key: 'sign', render: (_, { sameSign }) => (sameSign ? 'Yes' : 'No') },
];
