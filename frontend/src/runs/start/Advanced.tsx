import { Checkbox, Collapse, Form, Input, InputNumber, Select } from 'antd';
import type { SimulationConfig } from '@/api/types';
import type { components } from '@/api/schema';
import { Help } from '@/ui/Help';
import { modelChoices } from './modelChoices';
import { ModelOptionFields, modelOptionsToSend, type ModelOptions } from './ModelOptions';
import { TemperatureField } from './TemperatureField';

type Variant = components['schemas']['PersonaVariant'];

/** The name of a run and its parameters; missing ones take the product's settings. */
export interface Parameters extends ModelOptions {
  name: string;
  note: string;
  model?: string;
  temperature: number | null;
  shuffle: boolean;
  questionsPerCall: number | null;
  variant: Variant;
  /** The cap in the model's currency. */
  maxCost: number | null;
  /** Whether the model server's Batch API asks. */
  batch: boolean;
  /** Whether the model's replies are kept word for word. */
  keepReplies: boolean;
}

export const DEFAULT_PARAMETERS: Parameters = {
  name: '',
  note: '',
  temperature: null,
  shuffle: false,
  questionsPerCall: null,
  variant: 'summary',
  maxCost: null,
  batch: false,
  keepReplies: false,
  lenient: false,
};

/** The parameters as a start request names them. */
export const parametersToSend = ({
  name,
  note,
  model,
  temperature,
  shuffle,
  questionsPerCall,
  variant,
  maxCost,
  batch,
  keepReplies,
  ...options
}: Parameters) => ({
  ...modelOptionsToSend(options),
  ...(name.trim() !== '' && { name: name.trim() }),
  ...(note.trim() !== '' && { note: note.trim() }),
  ...(model !== undefined && { model }),
  ...(temperature !== null && { temperature }),
  ...(shuffle && { shuffleOptions: true }),
  ...(questionsPerCall !== null && { questionsPerCall }),
  ...(variant !== 'summary' && { personaVariant: variant }),
  ...(maxCost !== null && maxCost > 0 && { maxCost }),
  ...(batch && { batch: true }),
  ...(keepReplies && { keepReplies: true }),
});

export function Advanced({
  config,
  parameters,
  onChange,
}: {
  config: SimulationConfig;
  parameters: Parameters;
  onChange: (changed: Partial<Parameters>) => void;
}) {
  return (
    <Collapse
      size="small"
      items={[
        {
          key: 'advanced',
          label: 'Advanced',
          children: <Fields config={config} parameters={parameters} onChange={onChange} />,
        },
      ]}
    />
  );
}

const texts: { value: Variant; label: string }[] = [
  { value: 'summary', label: 'Summary' },
  { value: 'wave1_3', label: 'Waves 1-3: all that was asked before the last wave' },
  { value: 'full', label: 'Full: all that is known' },
  { value: 'demographics', label: 'Demographics alone, as a baseline' },
  { value: 'empty', label: 'Empty: nothing about anybody, as a baseline' },
];

function Fields({
  config,
  parameters,
  onChange,
}: {
  config: SimulationConfig;
  parameters: Parameters;
  onChange: (changed: Partial<Parameters>) => void;
}) {
  const {
    name,
    note,
    model = config.model,
    temperature,
    shuffle,
    questionsPerCall,
    variant,
    maxCost,
    keepReplies,
  } = parameters;
  const price = config.prices[model];
  // Each model server has its own.
  const limits = config.limits[model] ?? config;
  const fewest = Math.max(1, limits.minQuestionsPerCall);
  return (
    <div className="start-advanced">
      <Form.Item label="Name of the run" htmlFor="run-name">
        <Input
          id="run-name"
          maxLength={120}
          value={name}
          onChange={(event) => onChange({ name: event.target.value })}
        />
      </Form.Item>
      {config.models.length > 1 && (
        <Form.Item label="Model" htmlFor="model">
          <Select
            id="model"
            value={model}
            options={modelChoices(config)}
            // A cap is in the currency of the model's price.
            onChange={(value) =>
              onChange({ model: value, ...(config.prices[value] === undefined && { maxCost: null }) })
            }
          />
        </Form.Item>
      )}
      <TemperatureField value={temperature} onChange={(value) => onChange({ temperature: value })} />
      <ModelOptionFields value={parameters} onChange={onChange} />
      <Form.Item
        label="Questions per call"
        htmlFor="questions-per-call"
        extra={
          <>
            {fewest === 1 ? '1: each is asked alone' : `${fewest} or more in this group`}
            <Help term="questionsPerCall" />
          </>
        }
      >
        <InputNumber
          id="questions-per-call"
          min={fewest}
          max={500}
          precision={0}
          placeholder={String(limits.questionsPerCall)}
          value={questionsPerCall}
          onChange={(value) => onChange({ questionsPerCall: value })}
          style={{ width: '100%' }}
        />
      </Form.Item>
      {price !== undefined && (
        <Form.Item
          label="Stop paying at"
          htmlFor="max-cost"
          extra="The run pauses there; calls under way are still paid"
        >
          <InputNumber
            id="max-cost"
            min={0.01}
            step={0.5}
            precision={2}
            prefix={price.currency}
            placeholder="No limit"
            value={maxCost}
            onChange={(value) => onChange({ maxCost: value })}
            style={{ width: '100%' }}
          />
        </Form.Item>
      )}
      <div className="start-wide start-checks">
        <Checkbox checked={shuffle} onChange={(event) => onChange({ shuffle: event.target.checked })}>
          Shuffle options: each twin sees them in an order of its own
        </Checkbox>
        <Checkbox checked={keepReplies} onChange={(event) => onChange({ keepReplies: event.target.checked })}>
          Keep raw replies: a bundle then begins at the model’s own words
        </Checkbox>
      </div>
      <Form.Item
        label="Profile text"
        htmlFor="persona-text"
        className="start-wide"
        extra={
          <>
            Text about each twin that the model reads
            <Help term="personaText" />
          </>
        }
      >
        <Select<Variant>
          id="persona-text"
          value={variant}
          options={texts.filter(({ value }) => config.personaVariants.includes(value))}
          onChange={(value) => onChange({ variant: value })}
        />
      </Form.Item>
      <Form.Item label="Note" htmlFor="run-note" className="start-wide">
        <Input.TextArea
          id="run-note"
          rows={2}
          maxLength={2000}
          value={note}
          onChange={(event) => onChange({ note: event.target.value })}
        />
      </Form.Item>
    </div>
  );
}
