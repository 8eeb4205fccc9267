import { useId, useState } from 'react';
import { App, Form, InputNumber } from 'antd';
import { api, failed } from '@/api/client';
import { refresh } from '@/api/hooks';
import type { Money, Simulation } from '@/api/types';
import { Dialog } from '@/ui/Dialog';
import { moneyWords } from '@/ui/format';

/** The least that the dialog offers, in the currency's unit. */
const STEP = 0.01;

/** Asks what a run may cost, and then lets it go on where `then` says how. */
export function CostCap({
  run,
  cost,
  maxCost,
  then,
  onClose,
}: {
  run: Simulation;
  /** So far. */
  cost: Money;
  maxCost: Money | null;
  then?: { text: string; go: () => Promise<unknown> } | undefined;
  onClose: () => void;
}) {
  const { message } = App.useApp();
  const form = useId();
  const [busy, setBusy] = useState(false);
  const spent = Number(cost.amount);
  const before = maxCost === null ? null : Number(maxCost.amount);
  // As much again where it is used up.
  const offered = before === null || before > spent ? before : Math.ceil(200 * Math.max(before, spent)) / 100;
  const [cap, setCap] = useState<number | null>(offered);
  const tooLow = then !== undefined && cap !== null && cap <= spent;
  const save = async () => {
    setBusy(true);
    try {
      await api.patch('/api/simulations/{simulationId}', {
        params: { path: { simulationId: run.simulationId } },
        body: { maxCost: cap },
      });
      await then?.go();
      await refresh('/api/simulations/');
      onClose();
    } catch (error) {
      void message.error(failed('Failed to set what the simulation may cost', error));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="What may this simulation cost?"
      size="sm"
      busy={busy}
      onClose={onClose}
      action={{ text: then?.text ?? 'Save', busyText: 'Saving...', disabled: tooLow, form }}
    >
      <Form id={form} layout="vertical" className="stack gap-3" onFinish={() => void save()}>
        <p>Its calls have cost {moneyWords([cost])} so far. At the cap it pauses; empty is no cap.</p>
        <Form.Item
          label="Stop paying at"
          htmlFor={`${form}-cap`}
          {...(tooLow && { validateStatus: 'error', help: 'It has cost that much already' })}
        >
          <InputNumber
            id={`${form}-cap`}
            autoFocus
            min={STEP}
            step={0.5}
            precision={2}
            prefix={cost.currency}
            placeholder="No limit"
            value={cap}
            onChange={setCap}
            style={{ width: '100%' }}
          />
        </Form.Item>
      </Form>
    </Dialog>
  );
}
