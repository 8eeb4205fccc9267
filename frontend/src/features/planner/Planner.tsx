import { useState } from 'react';
import { Alert, Button, Form, InputNumber, Segmented, Statistic } from 'antd';
import { api, failed } from '@/api/client';
import type { components } from '@/api/schema';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';
import { withInterval } from '@/ui/numbers';
import { Page, Panel } from '@/ui/Page';
import { fieldsOf, kinds, planToSend, type Field, type Kind, type Typed } from './plan';
import './planner.css';

type Planned = components['schemas']['PlannedStudy'];

/** How many people a study takes, and whether twins make it cheaper. */
export default function Planner() {
  const [kind, setKind] = useState<Kind>('means');
  const [typed, setTyped] = useState<Typed>({ alpha: 0.05, power: 0.8 });
  const [planned, setPlanned] = useState<Planned | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);

  const plan = async () => {
    setBusy(true);
    setError(null);
    try {
      setPlanned(await api.post('/api/plan', { body: { kind, ...planToSend(kind, typed) } }));
    } catch (failure) {
      setPlanned(null);
      setError(failed('Cannot plan', failure));
    }
    setBusy(false);
  };
  return (
    <Page title="Planner" subtitle="How many people to ask, and whether twins make it cheaper">
      <Panel>
        <Segmented<Kind>
          aria-label="What is to be found out"
          className="planner-kind"
          value={kind}
          options={kinds.map(({ kind: value, label }) => ({ value, label }))}
          onChange={(next) => {
            setKind(next);
            setPlanned(null);
            setError(null);
          }}
        />
        <p className="muted">
          {kinds.find((each) => each.kind === kind)?.meaning}{' '}
          <FigureHelp about="rectified-estimates">Formulas and sources</FigureHelp>
        </p>
        <Form layout="vertical" className="planner-form stack gap-4 flush" onFinish={() => void plan()}>
          {fieldsOf(kind).map((field) => (
            <NumberField
              key={field.name}
              field={field}
              value={typed[field.name] ?? null}
              onChange={(value) => setTyped((before) => ({ ...before, [field.name]: value }))}
            />
          ))}
          <Button type="primary" htmlType="submit" loading={busy} disabled={busy}>
            Plan
          </Button>
        </Form>
        {error !== null && <Alert type="error" title={error} />}
        {planned !== null && <Answer planned={planned} />}
      </Panel>
    </Page>
  );
}

function NumberField({
  field: { name, label, extra, min, max },
  value,
  onChange,
}: {
  field: Field;
  value: number | null;
  onChange: (value: number | null) => void;
}) {
  return (
    <Form.Item label={label} htmlFor={`plan-${name}`} extra={extra}>
      <InputNumber
        id={`plan-${name}`}
        {...(min !== undefined && { min })}
        {...(max !== undefined && { max })}
        value={value}
        onChange={onChange}
        style={{ width: '100%' }}
      />
    </Form.Item>
  );
}

function Answer({ planned }: { planned: Planned }) {
  const { people, peoplePerArm, exact, others, cost, nEffective, sentence, achieved } = planned;
  const inArms = achieved == null ? 'both arms' : 'all cells';
  return (
    <div className="inset" role="status">
      <div className="planner-figures row">
        <Statistic title={peoplePerArm == null ? 'People' : `People, ${inArms}`} value={count(people)} />
        {peoplePerArm != null && (
          <Statistic title={achieved == null ? 'In each arm' : 'In each cell'} value={count(peoplePerArm)} />
        )}
        {others != null && <Statistic title="Other twins" value={count(others)} />}
        {achieved != null && <Statistic title="Power" value={withInterval(achieved)} />}
        {cost != null && <Statistic title="Price" value={cost.toFixed(2)} />}
        {nEffective != null && <Statistic title="Worth people alone" value={nEffective.toFixed(0)} />}
      </div>
      <p>
        {sentence}
        {exact != null && <span className="muted"> Computed: {exact.toFixed(2)}, rounded up.</span>}
      </p>
    </div>
  );
}
