import { AutoComplete, Checkbox, Form, InputNumber, Radio, Select } from 'antd';
import { useGet } from '@/api/hooks';
import type { Group } from '@/api/types';
import type { Items, ValidationOffer, Variant } from '@/api/validation';
import { RepeatsField } from '@/runs/start/RepeatsField';
import { TemperatureField } from '@/runs/start/TemperatureField';
import { count } from '@/ui/format';
import { variantDetail, variantName } from './figures';
import type { Draft } from './form';

/** Lists open inside the page's content, where readers of screens find them. */
const within = (trigger: HTMLElement) => trigger.parentElement ?? document.body;

export function ValidationFields({
  offer: { people, variants, questions, quickQuestions },
  headline,
  groups,
  group,
  draft: { personaCount, variants: chosen, items, repeats, model, temperature },
  onChange,
}: {
  offer: ValidationOffer;
  /** Always validated. */
  headline: Variant;
  groups: readonly Group[];
  /** Pays. */
  group: number | undefined;
  draft: Draft;
  onChange: (changed: Partial<Draft>) => void;
}) {
  return (
    <>
      <div className="start-advanced">
        <Form.Item label="Group" htmlFor="validation-group" extra="The group pays, as for any run">
          <Select<number>
            id="validation-group"
            value={group ?? null}
            placeholder="Choose a group"
            getPopupContainer={within}
            options={groups.map(({ id, groupName }) => ({ value: id, label: groupName }))}
            onChange={(groupId) => onChange({ groupId })}
          />
        </Form.Item>
        <Form.Item label="Number of digital twins" htmlFor="validation-twins" extra={`1 to ${count(people)}`}>
          <InputNumber
            id="validation-twins"
            min={1}
            max={people}
            precision={0}
            value={personaCount}
            onChange={(value) => onChange({ personaCount: value ?? 1 })}
            style={{ width: '100%' }}
          />
        </Form.Item>
      </div>
      <fieldset className="validation-choice">
        <legend>Profiles</legend>
        <Checkbox.Group<Variant>
          value={chosen}
          onChange={(value) =>
            onChange({ variants: variants.filter((each) => each === headline || value.includes(each)) })
          }
          options={variants.map((value) => ({
            value,
            label: `${variantName(value)}: ${variantDetail(value)}${value === headline ? ' (always)' : ''}`,
            disabled: value === headline,
          }))}
        />
      </fieldset>
      {quickQuestions < questions && (
        <fieldset className="validation-choice">
          <legend>Items</legend>
          <Radio.Group
            value={items}
            onChange={(event) => onChange({ items: event.target.value as Items })}
            options={[
              { value: 'all', label: `All: ${count(questions)} questions` },
              { value: 'quick', label: `Quick: ${count(quickQuestions)} questions, some of each task` },
            ]}
          />
        </fieldset>
      )}
      <div className="start-advanced">
        <RepeatsField value={repeats} onChange={(value) => onChange({ repeats: value })} />
        <ModelField value={model} onChange={(value) => onChange({ model: value })} />
        <TemperatureField value={temperature} onChange={(value) => onChange({ temperature: value })} />
      </div>
    </>
  );
}

/** How many of the caller's runs are looked at for their models. */
const RUNS = 100;

/** A model by its name; the ones of the caller's own runs are offered. */
function ModelField({ value, onChange }: { value: string; onChange: (model: string) => void }) {
  const runs = useGet('/api/simulations', { params: { query: { limit: RUNS } } }).data ?? [];
  const models = [...new Set(runs.map(({ parameters }) => parameters.model))];
  return (
    <Form.Item label="Model" htmlFor="validation-model">
      <AutoComplete
        id="validation-model"
        value={value}
        placeholder="The usual one"
        getPopupContainer={within}
        options={models.map((each) => ({ value: each }))}
        showSearch={{ filterOption: (typed, option) => option?.value.includes(typed) ?? false }}
        onChange={(typed: string) => onChange(typed)}
      />
    </Form.Item>
  );
}
