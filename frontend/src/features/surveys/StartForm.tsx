import { useState } from 'react';
import { Input, InputNumber, Radio } from 'antd';
import { api, messageOf } from '@/api/client';
import { refresh } from '@/api/hooks';
import { session } from '@/api/session';
import type { SimulationConfig } from '@/api/types';
import { Banner } from '@/ui/Banner';
import { DialogButtons } from '@/ui/DialogButtons';
import { CostEstimate } from './CostEstimate';
import { estimate } from './estimate';
import { clampCount, defaultCount, parsePersonaIds } from './selection';

export function StartForm({
  surveyId,
  config,
  usualCount,
  onClose,
  onStarted,
}: {
  surveyId: number;
  config: SimulationConfig;
  /** Of digital twins, by the user's settings. */
  usualCount: number | undefined;
  onClose: () => void;
  onStarted: () => void;
}) {
  const total = config.totalPersonas;
  const [count, setCount] = useState(defaultCount(total, usualCount));
  const [random, setRandom] = useState(true);
  const [typed, setTyped] = useState('');
  const [starting, setStarting] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const chosen = parsePersonaIds(typed, total, count);
  const asked = random ? count : chosen.length;
  const cost = estimate(config, asked);
  // Two clicks on one dialog are one start.
  const [idempotencyKey] = useState(() => crypto.randomUUID());

  const start = async () => {
    const user = session();
    if (user === null || user.id === null) {
      setError(user === null ? 'Cannot start simulation' : 'Invalid authentication token');
      return;
    }
    setStarting(true);
    setError(null);
    try {
      await api.post('/api/simulations/survey/{surveyId}/start', {
        path: { surveyId },
        headers: { 'Idempotency-Key': idempotencyKey },
        body: {
          userId: user.id,
          personaCount: asked,
          isRandomSelection: random,
          ...(!random && { selectedPersonaIds: chosen }),
        },
      });
      void refresh('/api/simulations');
      onStarted();
    } catch (failure) {
      setError(messageOf(failure, 'Failed to start simulation'));
      setStarting(false);
    }
  };

  if (total === 0) {
    return (
      <div className="start-failed">
        <Banner type="error">No digital twins are available. Please contact the administrator.</Banner>
      </div>
    );
  }
  return (
    <form
      className="start-form"
      onSubmit={(event) => {
        event.preventDefault();
        void start();
      }}
    >
      {!config.canSimulate && <Banner type="warning">{config.reason ?? 'Survey cannot be simulated'}</Banner>}
      {error !== null && <Banner type="error">{error}</Banner>}
      <div>
        <label htmlFor="persona-count">Number of digital twins</label>
        <InputNumber
          id="persona-count"
          min={1}
          max={total}
          precision={0}
          value={count}
          onChange={(value) => setCount(clampCount(value ?? 1, total))}
          style={{ width: '100%' }}
        />
        <p className="muted">1 to {total.toLocaleString('en-US')}</p>
      </div>
      <Radio.Group
        aria-label="Selection"
        value={random}
        onChange={(event) => setRandom(event.target.value === true)}
        options={[
          { value: true, label: 'Random selection' },
          { value: false, label: 'Manual selection' },
        ]}
      />
      {!random && (
        <div>
          <label htmlFor="persona-ids">Digital twin ids</label>
          <Input.TextArea
            id="persona-ids"
            rows={3}
            value={typed}
            placeholder="1, 2, 3"
            onChange={(event) => setTyped(event.target.value)}
          />
          <p className="muted">
            Separated by comma, space or new line; {chosen.length} of {count} selected
          </p>
        </div>
      )}
      <CostEstimate cost={cost} config={config} />
      <DialogButtons
        onCancel={onClose}
        busy={starting}
        busyText="Starting..."
        disabled={!config.canSimulate || asked === 0}
      >
        Start Simulation
      </DialogButtons>
    </form>
  );
}
