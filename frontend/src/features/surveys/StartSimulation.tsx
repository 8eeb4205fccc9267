import { useId, useState } from 'react';
import { Alert, Button, Checkbox, Flex, Form, Input, InputNumber, Radio, Select } from 'antd';
import { api, ApiError, failed, messageOf } from '@/api/client';
import { refresh, useGet } from '@/api/hooks';
import { session } from '@/api/session';
import type { SimulationConfig } from '@/api/types';
import { Dialog } from '@/ui/Dialog';
import { count as formatted } from '@/ui/format';
import { Loading } from '@/ui/Page';
import { CostEstimate } from './CostEstimate';
import { clampCount, defaultCount, parsePersonaIds } from './selection';
import './StartSimulation.css';

/** Calls of single questions make a difference, and the group allows them. */
const mayAskSingly = ({ minQuestionsPerCall, questionCount }: SimulationConfig) =>
  minQuestionsPerCall <= 1 && questionCount > 1;

/** Why a survey cannot be simulated. */
function unable(reason: string | null | undefined): string {
  const sentence = 'Survey cannot be simulated';
  return reason ? failed(sentence, new ApiError(409, reason)) : sentence;
}

const readOnce = { revalidateOnFocus: false, shouldRetryOnError: false };

/** Asks how many personas, or which ones, to interview, and starts the simulation. */
export function StartSimulation({
  surveyId,
  title,
  onClose,
  onStarted,
}: {
  surveyId: number;
  title: string;
  onClose: () => void;
  onStarted: () => void;
}) {
  const form = useId();
  const path = { surveyId };
  const config = useGet('/api/surveys/{surveyId}/simulation-config', { params: { path } }, readOnce);
  // Only for the default count: a simulation can be started without the settings.
  const settings = useGet('/api/auth/settings', {}, readOnce);
  /** `null` until the user changes it. */
  const [typedCount, setTypedCount] = useState<number | null>(null);
  const [random, setRandom] = useState(true);
  const [typedIds, setTypedIds] = useState('');
  const [model, setModel] = useState<string>();
  const [full, setFull] = useState(false);
  const [single, setSingle] = useState(false);
  const [starting, setStarting] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // The server starts once for one dialog, however often the button is clicked.
  const [idempotencyKey] = useState(() => crypto.randomUUID());

  const notLoaded = config.error !== undefined && config.data === undefined && !config.isValidating;
  const known = settings.isLoading ? undefined : config.data;
  const total = known?.totalPersonas ?? 0;
  const affordable = known?.maxPersonas ?? 0;
  const count = typedCount ?? defaultCount(total, affordable, settings.data?.defaultDigitalTwins);
  // Ids of twins that were deleted stay empty.
  const chosen = parsePersonaIds(typedIds, known?.lastPersonaId ?? 0, count);
  const personas = random ? count : chosen.length;

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
        params: { path },
        headers: { 'Idempotency-Key': idempotencyKey },
        body: {
          userId: user.id,
          personaCount: personas,
          isRandomSelection: random,
          ...(!random && { selectedPersonaIds: chosen }),
          ...(model !== undefined && { model }),
          ...(full && { personaVariant: 'full' as const }),
          ...(single && { questionsPerCall: 1 }),
        },
      });
      void refresh('/api/simulations');
      onStarted();
    } catch (failure) {
      setError(messageOf(failure, 'Failed to start simulation'));
      setStarting(false);
    }
  };

  return (
    <Dialog
      title="Start Simulation"
      busy={starting}
      onClose={onClose}
      {...(known !== undefined &&
        total > 0 && {
          action: {
            text: 'Start Simulation',
            busyText: 'Starting...',
            disabled: !known.canSimulate || personas === 0 || personas > affordable,
            form,
          },
        })}
    >
      <p className="muted">{title}</p>
      {known === undefined && !notLoaded && <Loading />}
      {notLoaded && (
        <Alert
          type="error"
          title="Failed to load simulation data"
          action={
            <Button size="small" onClick={() => void config.mutate()}>
              Retry
            </Button>
          }
        />
      )}
      {known !== undefined && total === 0 && (
        <Alert type="error" title="No digital twins are available. Please contact the administrator." />
      )}
      {known !== undefined && total > 0 && (
        <Form id={form} layout="vertical" className="start-form" onFinish={() => void start()}>
          {!known.canSimulate && <Alert type="warning" role="status" title={unable(known.reason)} />}
          {error !== null && <Alert type="error" title={error} />}
          <Form.Item
            label="Number of digital twins"
            htmlFor="persona-count"
            extra={`1 to ${formatted(total)}`}
          >
            <InputNumber
              id="persona-count"
              min={1}
              max={total}
              precision={0}
              value={count}
              onChange={(value) => setTypedCount(clampCount(value ?? 1, total))}
              style={{ width: '100%' }}
            />
          </Form.Item>
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
            <Form.Item
              label="Digital twin ids"
              htmlFor="persona-ids"
              extra={`Separated by comma, space or new line; ${chosen.length} of ${count} selected`}
            >
              <Input.TextArea
                id="persona-ids"
                rows={3}
                value={typedIds}
                placeholder="1, 2, 3"
                onChange={(event) => setTypedIds(event.target.value)}
              />
            </Form.Item>
          )}
          {known.models.length > 1 && (
            <Form.Item label="Model" htmlFor="model">
              <Select
                id="model"
                value={model ?? known.model}
                options={known.models.map((value) => ({ value, label: value }))}
                onChange={setModel}
              />
            </Form.Item>
          )}
          {(known.allowFullPersonas || mayAskSingly(known)) && (
            <Flex vertical>
              {known.allowFullPersonas && (
                <Checkbox checked={full} onChange={(event) => setFull(event.target.checked)}>
                  Full personas: all that is known of each twin
                </Checkbox>
              )}
              {mayAskSingly(known) && (
                <Checkbox checked={single} onChange={(event) => setSingle(event.target.checked)}>
                  One question a call: each is asked alone
                </Checkbox>
              )}
            </Flex>
          )}
          <CostEstimate personas={personas} config={known} chosen={{ model, full, single }} />
        </Form>
      )}
    </Dialog>
  );
}
