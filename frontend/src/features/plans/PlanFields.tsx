import { Checkbox, Form, Input, InputNumber, Select } from 'antd';
import { readOnce, useGet } from '@/api/hooks';
import { isAsked } from '@/question-types/questionTypes';
import type { Draft, StudyPlan } from '@/runs/plan/form';
import { adjustmentNames } from '@/charts/tests';
import { callScopes, memories, shuffleWords } from '@/runs/plan/words';
import { variantNames } from '@/runs/start/cells';
import { ContrastFields } from './ContrastFields';

/** The fields of a draft, under the headings that registries ask for. */
export function PlanFields({ plan }: { plan: StudyPlan }) {
  const path = { surveyId: plan.surveyId };
  const questions = useGet('/api/surveys/{surveyId}/questions', { params: { path } }, readOnce).data ?? [];
  const config = useGet('/api/surveys/{surveyId}/simulation-config', { params: { path } }, readOnce).data;
  const { models = [], personaVariants = [] } = config ?? {};
  return (
    <>
      <Line name="title" label="Title" />
      <Line name="authors" label="Authors (public)" most={20_000} />
      <Words name="mainQuestion" label="Main question" />
      <Words name="hypotheses" label="Hypotheses, one a line" />

      <h3>Dependent variables</h3>
      <Words name="dependentVariables" label="How they are measured" />
      <Several
        name="primaryItems"
        label="Primary questions"
        extra="What is found in them counts as preregistered; all else is exploratory."
        options={questions
          .filter(({ questionType }) => isAsked(questionType))
          .map(({ name, text }) => ({ value: name, label: `${name}: ${text}` }))}
      />

      <h3>Conditions</h3>
      <Words name="conditions" label="How many and which" />
      <ContrastFields surveyId={plan.surveyId} models={models} />

      <h3>Analyses</h3>
      <Words name="analyses" label="In detail" />
      <div className="plan-fields stack">
        <Line name="metric" label="Metric" />
        <Form.Item label="Correction for several tests" name="multiplicity">
          <Select options={optionsOf(adjustmentNames)} />
        </Form.Item>
        <Line name="family" label="Family of tests that are corrected together" />
        <Line name="weights" label="Weights" />
        <Amount name="alpha" label="Alpha" min={0.0001} max={0.9999} step={0.01} />
      </div>

      <h3>Outliers and exclusions</h3>
      <Words name="exclusions" label="Rules" />

      <h3>Sample size</h3>
      <Words name="sampleSize" label="How many digital twins, why, and when it stops" />
      <p className="plan-note">
        The program compares these with the runs that are started. What is left out is not planned.
      </p>
      <div className="plan-fields stack">
        <Amount name="personaCount" label="Digital twins in each run" min={1} precision={0} />
        <Amount name="seed" label="Seed" precision={0} />
        <Amount name="temperature" label="Temperature" min={0} max={2} step={0.1} />
        <Amount name="repeats" label="Repeats" min={1} max={60} precision={0} />
        <Several
          name="variants"
          label="Profile texts"
          options={personaVariants.map((value) => ({ value, label: variantNames[value] }))}
        />
        <Several name="models" label="Models" options={models.map((value) => ({ value, label: value }))} />
        <Amount name="questionsPerCall" label="Questions per call" min={1} max={500} precision={0} />
        <One name="callScope" label="Questions in one call" options={optionsOf(callScopes)} />
        <One
          name="shuffle"
          label="Order of options"
          options={[
            { value: false, label: shuffleWords(false) },
            { value: true, label: shuffleWords(true) },
          ]}
        />
        <One name="memory" label="Context of later calls" options={optionsOf(memories)} />
      </div>
      <div className="stack gap-2">
        <Form.Item name="everyArm" valuePropName="checked" noStyle>
          <Checkbox>Every twin in every arm</Checkbox>
        </Form.Item>
        <Form.Item name="reversed" valuePropName="checked" noStyle>
          <Checkbox>Once more with options in reverse order</Checkbox>
        </Form.Item>
      </div>

      <h3>Other</h3>
      <Words name="other" label="Anything else" />
      <Form.Item
        name="blind"
        valuePropName="checked"
        {...(plan.studyId != null && { extra: 'Stays as it is: the study has begun.' })}
      >
        <Checkbox disabled={plan.studyId != null}>
          Hide the results of the study until the plan is frozen
        </Checkbox>
      </Form.Item>
    </>
  );
}

const optionsOf = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));

interface Field {
  name: keyof Draft;
  label: string;
}

const Line = ({ name, label, most = 500 }: Field & { most?: number }) => (
  <Form.Item label={label} name={name}>
    <Input maxLength={most} />
  </Form.Item>
);

const Words = ({ name, label }: Field) => (
  <Form.Item label={label} name={name}>
    <Input.TextArea autoSize={{ minRows: 3, maxRows: 12 }} />
  </Form.Item>
);

const Amount = ({
  name,
  label,
  ...bounds
}: Field & { min?: number; max?: number; step?: number; precision?: number }) => (
  <Form.Item label={label} name={name}>
    <InputNumber {...bounds} />
  </Form.Item>
);

/** Cleared, it is not planned. */
const One = ({ name, label, options }: Field & { options: { value: string | boolean; label: string }[] }) => (
  <Form.Item label={label} name={name} normalize={(value: string | boolean | undefined) => value ?? null}>
    <Select allowClear placeholder="Not planned" options={options} />
  </Form.Item>
);

const Several = ({
  name,
  label,
  extra,
  options,
}: Field & { extra?: string; options: { value: string; label: string }[] }) => (
  <Form.Item label={label} name={name} extra={extra}>
    <Select mode="multiple" options={options} />
  </Form.Item>
);
