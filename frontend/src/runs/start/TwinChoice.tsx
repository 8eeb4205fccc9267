import { Alert, Form, Input, InputNumber, Radio, Select } from 'antd';
import type { Simulation } from '@/api/types';
import { Help } from '@/ui/Help';
import { count as formatted, date } from '@/ui/format';
import { clampCount, ignoredText, type Ignored } from './selection';
import { QuotaFields } from './QuotaFields';
import type { Draft, Kind, Known } from './twins';

const kinds: { value: Kind; label: string }[] = [
  { value: 'random', label: 'Random selection' },
  { value: 'all', label: 'Everyone' },
  { value: 'attributes', label: 'By attributes' },
  { value: 'quotas', label: 'Quotas' },
  { value: 'ids', label: 'Manual selection' },
  { value: 'run', label: 'Same twins as a run' },
];

/** Chooses the twins of a run. */
export function TwinChoice({
  draft,
  known,
  chosen,
  seed,
  lastRuns,
  onChange,
  onSeed,
}: {
  draft: Draft;
  known: Known;
  chosen: { personas: number; ignored: Ignored[] };
  /** `null`: drawn. */
  seed: number | null;
  lastRuns: Simulation[];
  onChange: (changed: Partial<Draft>) => void;
  onSeed: (seed: number | null) => void;
}) {
  const { kind } = draft;
  const most = kind === 'attributes' ? (known.pool ?? known.total) : known.total;
  const counted = kind === 'random' || kind === 'attributes' || kind === 'quotas';
  return (
    <>
      <Radio.Group
        aria-label="Selection"
        className="twin-kinds"
        value={kind}
        onChange={(event) => onChange({ kind: event.target.value as Kind })}
        options={kinds}
      />
      {kind === 'all' && <p className="muted">All {formatted(known.total)} digital twins are asked.</p>}
      {kind === 'attributes' && <AttributeFields draft={draft} known={known} onChange={onChange} />}
      {counted && (
        <div className="twin-count">
          <Form.Item
            label="Number of digital twins"
            htmlFor="persona-count"
            extra={
              <>
                {most > 0 && `1 to ${formatted(most)}`}
                <Help term="twins" />
              </>
            }
          >
            <InputNumber
              id="persona-count"
              min={1}
              max={Math.max(1, most)}
              precision={0}
              disabled={kind === 'quotas' && draft.shape === 'own'}
              value={kind === 'quotas' && draft.shape === 'own' ? chosen.personas : draft.count}
              onChange={(value) => onChange({ count: clampCount(value ?? 1, known.total) })}
              style={{ width: '100%' }}
            />
          </Form.Item>
          <SeedField seed={seed} effect="The same seed draws the same twins." onSeed={onSeed} />
        </div>
      )}
      {kind === 'quotas' && <QuotaFields draft={draft} known={known} onChange={onChange} />}
      {kind === 'ids' && (
        <>
          <Form.Item
            label="Digital twin ids"
            htmlFor="persona-ids"
            extra={`Ids from 1 to ${formatted(known.lastId)} and ranges; ${formatted(chosen.personas)} selected`}
          >
            <Input.TextArea
              id="persona-ids"
              rows={3}
              value={draft.typedIds}
              placeholder="1-50, 77"
              onChange={(event) => onChange({ typedIds: event.target.value })}
            />
          </Form.Item>
          {chosen.ignored.length > 0 && (
            <Alert type="warning" role="status" title={`Ignored: ${ignoredText(chosen.ignored)}`} />
          )}
        </>
      )}
      {kind === 'run' && (
        <Form.Item
          label="Run"
          htmlFor="same-run"
          extra={
            draft.run !== null
              ? `Its ${formatted(draft.run.personaCount)} digital twins are asked.`
              : lastRuns.length === 0
                ? 'You have no runs yet.'
                : undefined
          }
        >
          <Select<string>
            id="same-run"
            showSearch={{ optionFilterProp: 'label' }}
            placeholder="Choose one of your runs"
            value={draft.run?.simulationId ?? null}
            onChange={(id) =>
              onChange({ run: lastRuns.find(({ simulationId }) => simulationId === id) ?? null })
            }
            options={lastRuns.map((run) => ({
              value: run.simulationId,
              label: `${run.name ?? run.surveyTitle} · ${formatted(run.personaCount)} twins · ${date(run.created_at)} · ${run.simulationId.slice(0, 8)}`,
            }))}
          />
        </Form.Item>
      )}
      {!counted && (
        <SeedField seed={seed} effect="The same seed shuffles options in the same way." onSeed={onSeed} />
      )}
    </>
  );
}

/** The number that chance starts from. */
function SeedField({
  seed,
  effect,
  onSeed,
}: {
  seed: number | null;
  /** A sentence on what the seed decides. */
  effect: string;
  onSeed: (seed: number | null) => void;
}) {
  return (
    <Form.Item
      label="Seed"
      htmlFor="seed"
      extra={
        <>
          {effect}
          <Help term="seed" />
        </>
      }
    >
      <InputNumber
        id="seed"
        min={0}
        max={Number.MAX_SAFE_INTEGER}
        precision={0}
        placeholder="Drawn at the start"
        value={seed}
        onChange={onSeed}
        style={{ width: '100%' }}
      />
    </Form.Item>
  );
}

/** Values of attributes. */
function AttributeFields({
  draft,
  known,
  onChange,
}: {
  draft: Draft;
  known: Known;
  onChange: (changed: Partial<Draft>) => void;
}) {
  const pairs = known.attributes.flatMap(({ label, values }) =>
    values.map(({ value, count }) => ({ key: `${label}: ${value}`, label, value, count })),
  );
  const choose = (keys: string[]) => {
    const where: Draft['where'] = {};
    for (const key of keys) {
      const pair = pairs.find((each) => each.key === key);
      if (pair !== undefined) where[pair.label] = [...(where[pair.label] ?? []), pair.value];
    }
    onChange({ where });
  };
  return (
    <>
      {/* Above the list of values, which covers what is below. */}
      <p className="muted" role="status">
        {known.pool === undefined ? 'Counting…' : `${formatted(known.pool)} digital twins match`}
      </p>
      <Form.Item
        label="Attributes"
        htmlFor="attributes"
        extra="Twins match with any value of an attribute, and with all attributes that are chosen."
      >
        <Select<string[]>
          id="attributes"
          mode="multiple"
          getPopupContainer={(trigger) => trigger.parentElement ?? document.body}
          placeholder="Gender: Female"
          value={Object.entries(draft.where).flatMap(([label, values]) =>
            values.map((value) => `${label}: ${value}`),
          )}
          onChange={choose}
          options={pairs.map(({ key, count }) => ({ value: key, label: key, count }))}
          optionRender={({ label, data }) => (
            <span className="counted-option">
              <span>{label}</span>
              <span>{formatted(data.count)}</span>
            </span>
          )}
        />
      </Form.Item>
    </>
  );
}
