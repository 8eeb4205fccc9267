import { Checkbox, Collapse, Form, Select } from 'antd';
import type { components } from '@/api/schema';
import { AnswerModes, type AnswerModeOptions } from './AnswerModes';

type Effort = components['schemas']['ReasoningEffort'];
type Verbosity = components['schemas']['Verbosity'];
type Tier = components['schemas']['ServiceTier'];

/** The options of the model that a start sets; missing ones are the model's own. */
export interface ModelOptions extends AnswerModeOptions {
  reasoningEffort?: Effort;
  verbosity?: Verbosity;
  serviceTier?: Tier;
  /** Whether parameters that the model does not take are left out. */
  lenient: boolean;
}

export const efforts: Effort[] = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'];
const verbosities: Verbosity[] = ['low', 'medium', 'high'];
const tiers: Tier[] = ['auto', 'default', 'flex', 'priority'];

/** The options as a start request names them. */
export const modelOptionsToSend = ({
  reasoningEffort,
  verbosity,
  serviceTier,
  answerMode,
  draws,
  lenient,
}: ModelOptions) => ({
  ...(reasoningEffort !== undefined && { reasoningEffort }),
  ...(verbosity !== undefined && { verbosity }),
  ...(serviceTier !== undefined && { serviceTier }),
  ...(answerMode !== undefined && answerMode !== 'draw' && { answerMode }),
  ...(draws !== undefined && { draws }),
  ...(lenient && { lenient: true }),
});

/** Options that not every model takes, beside its name and temperature. */
export function ModelOptionFields({
  value,
  onChange,
}: {
  value: ModelOptions;
  onChange: (changed: Partial<ModelOptions>) => void;
}) {
  const choice = <T extends string>(
    id: string,
    label: string,
    values: T[],
    chosen: T | undefined,
    choose: (chosen: T | undefined) => void,
  ) => (
    <Form.Item label={label} htmlFor={id}>
      <Select<T>
        id={id}
        allowClear
        placeholder="The model's own"
        value={chosen}
        options={values.map((value) => ({ value, label: value }))}
        onChange={choose}
      />
    </Form.Item>
  );
  return (
    <Collapse
      size="small"
      className="start-wide"
      items={[
        {
          key: 'model',
          label: 'Model: probabilities, reasoning, verbosity, service tier',
          children: (
            <div className="start-advanced">
              <AnswerModes value={value} onChange={onChange} />
              {choice(
                'reasoning-effort',
                'Reasoning effort',
                efforts,
                value.reasoningEffort,
                (reasoningEffort) => onChange({ reasoningEffort }),
              )}
              {choice('verbosity', 'Verbosity', verbosities, value.verbosity, (verbosity) =>
                onChange({ verbosity }),
              )}
              {choice('service-tier', 'Service tier', tiers, value.serviceTier, (serviceTier) =>
                onChange({ serviceTier }),
              )}
              <div className="start-wide start-checks">
                <Checkbox
                  checked={value.lenient}
                  onChange={(event) => onChange({ lenient: event.target.checked })}
                >
                  Leave out what the model does not take or act on, and say so; otherwise the run does not
                  start, or pauses
                </Checkbox>
              </div>
            </div>
          ),
        },
      ]}
    />
  );
}
