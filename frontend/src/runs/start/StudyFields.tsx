import { Checkbox, Collapse, Form, Select, type SelectProps } from 'antd';
import { armsOf, type Design } from '@/api/design';
import { useGet } from '@/api/hooks';
import type { SimulationConfig } from '@/api/types';
import { isStudy, variantNames, type Choice, type Effort, type Variant } from './cells';
import { modelChoices } from './modelChoices';
import { efforts } from './ModelOptions';
import { RepeatsField } from './RepeatsField';

/** The fields of what a study varies: each combination is a run over the same twins. */
export function StudyFields({
  surveyId,
  config,
  choice,
  onChange,
}: {
  surveyId: number;
  config: SimulationConfig;
  choice: Choice;
  onChange: (changed: Partial<Choice>) => void;
}) {
  const { data } = useGet('/api/surveys/{surveyId}/design', { params: { path: { surveyId } } });
  const design = data as Design | undefined;
  const { variants, models, efforts: chosen, repeats, reversed, everyArm } = choice;
  return (
    <Collapse
      size="small"
      defaultActiveKey={isStudy(choice) ? ['study'] : []}
      items={[
        {
          key: 'study',
          label: 'Study: the same twins in several runs',
          children: (
            <div className="start-advanced">
              <p className="muted start-wide">
                Each combination is a run of its own, with the same twins and the same seed. Baselines show
                what the profile adds; repeats show how stable the answers are.
              </p>
              <Several<Variant>
                id="study-variants"
                label="Profile texts"
                value={variants}
                options={config.personaVariants.map((value) => ({ value, label: variantNames[value] }))}
                onChange={(value) => onChange({ variants: value })}
              />
              {config.models.length > 1 && (
                <Several<string>
                  id="study-models"
                  label="Models"
                  value={models}
                  options={modelChoices(config)}
                  onChange={(value) => onChange({ models: value })}
                />
              )}
              <Several<Effort>
                id="study-efforts"
                label="Reasoning efforts"
                value={chosen}
                options={efforts.map((value) => ({ value, label: value }))}
                onChange={(value) => onChange({ efforts: value })}
              />
              <RepeatsField value={repeats} onChange={(value) => onChange({ repeats: value })} />
              <div className="start-wide start-checks">
                <Checkbox
                  checked={reversed}
                  onChange={(event) => onChange({ reversed: event.target.checked })}
                >
                  Once more with options in reverse order
                </Checkbox>
                {armsOf(design?.flow ?? []).length > 0 && (
                  <Checkbox
                    checked={everyArm}
                    onChange={(event) => onChange({ everyArm: event.target.checked })}
                  >
                    Every twin in every arm, each time as if asked for the first time
                  </Checkbox>
                )}
              </div>
            </div>
          ),
        },
      ]}
    />
  );
}

/** The values of a parameter that a study varies; none: the one under Advanced. */
function Several<Value extends string>({
  id,
  label,
  value,
  options,
  onChange,
}: {
  id: string;
  label: string;
  value: Value[];
  options: SelectProps<Value[]>['options'];
  onChange: (value: Value[]) => void;
}) {
  return (
    <Form.Item label={label} htmlFor={id} className="start-wide">
      <Select<Value[]>
        id={id}
        mode="multiple"
        value={value}
        placeholder="As under Advanced"
        options={options}
        onChange={onChange}
      />
    </Form.Item>
  );
}
