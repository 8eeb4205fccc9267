import { useState } from 'react';
import { Alert, App, Button, Checkbox, Form, Input, InputNumber, Select } from 'antd';
import { useNavigate } from 'react-router';
import { api, failed } from '@/api/client';
import { refresh, useGet } from '@/api/hooks';
import { isAsked } from '@/api/questionTypes';
import { paths } from '@/paths';
import { ConfirmDialog } from '@/ui/Dialog';
import { Panel } from '@/ui/Page';
import { variantNames } from '../studies/cells';
import { ContrastFields } from './ContrastFields';
import { documentOf, draftOf, type Draft, type StudyPlan } from './form';
import { multiplicities } from './words';
import './plans.css';

const text = { rows: 3 };
const readOnce = { revalidateOnFocus: false, shouldRetryOnError: false };

/** A draft to be written, saved and frozen. */
export function PlanEditor({ plan, onChange }: { plan: StudyPlan; onChange: (plan: StudyPlan) => unknown }) {
  const { message } = App.useApp();
  const navigate = useNavigate();
  const [form] = Form.useForm<Draft>();
  const [asked, setAsked] = useState<'freeze' | 'delete' | null>(null);
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const path = { surveyId: plan.surveyId };
  const questions = useGet('/api/surveys/{surveyId}/questions', { params: { path } }, readOnce).data ?? [];
  const config = useGet('/api/surveys/{surveyId}/simulation-config', { params: { path } }, readOnce).data;
  const params = { path: { planId: plan.planId } };

  const save = async (): Promise<boolean> => {
    setSaving(true);
    setError(null);
    try {
      const body = documentOf(form.getFieldsValue(true) as Draft);
      await onChange(await api.put('/api/plans/{planId}', { params, body }));
      return true;
    } catch (failure) {
      setError(failed('Failed to save the plan', failure));
      return false;
    } finally {
      setSaving(false);
    }
  };
  const freeze = async () => {
    try {
      const frozen = await api.post('/api/plans/{planId}/freeze', { params });
      void refresh('/api/studies');
      await onChange(frozen);
    } catch (failure) {
      setError(failed('Failed to freeze the plan', failure));
    }
  };
  const remove = async () => {
    try {
      await api.delete('/api/plans/{planId}', { params });
      void refresh('/api/surveys');
      void navigate(paths.plans(plan.surveyId));
    } catch (failure) {
      setError(failed('Failed to delete the draft', failure));
    }
  };
  return (
    <Panel title="Draft">
      <Form
        form={form}
        layout="vertical"
        className="plan-form"
        initialValues={draftOf(plan.document)}
        onFinish={() => void save().then((saved) => saved && message.success('Plan saved'))}
      >
        <Form.Item label="Title" name="title">
          <Input maxLength={500} />
        </Form.Item>
        <Form.Item label="Authors, as everybody may read them" name="authors">
          <Input />
        </Form.Item>
        <Form.Item label="Main question" name="mainQuestion">
          <Input.TextArea {...text} />
        </Form.Item>
        <Form.Item label="Hypotheses, one a line" name="hypotheses">
          <Input.TextArea {...text} />
        </Form.Item>

        <h3>Dependent variables</h3>
        <Form.Item label="How they are measured" name="dependentVariables">
          <Input.TextArea {...text} />
        </Form.Item>
        <Form.Item
          label="Primary questions"
          name="primaryItems"
          extra="What is found in them counts as preregistered; all else is exploratory."
        >
          <Select
            mode="multiple"
            options={questions
              .filter(({ questionType }) => isAsked(questionType))
              .map(({ name, text: asks }) => ({ value: name, label: `${name}: ${asks}` }))}
          />
        </Form.Item>

        <h3>Conditions</h3>
        <Form.Item label="How many and which" name="conditions">
          <Input.TextArea {...text} />
        </Form.Item>
        <ContrastFields surveyId={plan.surveyId} models={config?.models ?? []} />

        <h3>Analyses</h3>
        <Form.Item label="Exactly which" name="analyses">
          <Input.TextArea {...text} />
        </Form.Item>
        <div className="plan-fields">
          <Form.Item label="Metric" name="metric">
            <Input maxLength={500} />
          </Form.Item>
          <Form.Item label="Correction for several tests" name="multiplicity">
            <Select options={Object.entries(multiplicities).map(([value, label]) => ({ value, label }))} />
          </Form.Item>
          <Form.Item label="Tests that count together" name="family">
            <Input maxLength={500} />
          </Form.Item>
          <Form.Item label="Weights" name="weights">
            <Input maxLength={500} />
          </Form.Item>
          <Form.Item label="Alpha" name="alpha">
            <InputNumber min={0.0001} max={0.9999} step={0.01} />
          </Form.Item>
        </div>

        <h3>Outliers and exclusions</h3>
        <Form.Item label="Rules" name="exclusions">
          <Input.TextArea {...text} />
        </Form.Item>

        <h3>Sample size</h3>
        <Form.Item label="How many digital twins, why, and when it stops" name="sampleSize">
          <Input.TextArea {...text} />
        </Form.Item>
        <p className="muted">
          The program compares these with the runs that are started. What is left out is not planned.
        </p>
        <div className="plan-fields">
          <Form.Item label="Digital twins in each run" name="personaCount">
            <InputNumber min={1} precision={0} />
          </Form.Item>
          <Form.Item label="Seed" name="seed">
            <InputNumber precision={0} />
          </Form.Item>
          <Form.Item label="Temperature" name="temperature">
            <InputNumber min={0} max={2} step={0.1} />
          </Form.Item>
          <Form.Item label="Repeats" name="repeats">
            <InputNumber min={1} max={60} precision={0} />
          </Form.Item>
          <Form.Item label="Persona texts" name="variants">
            <Select
              mode="multiple"
              options={(config?.personaVariants ?? []).map((value) => ({
                value,
                label: variantNames[value],
              }))}
            />
          </Form.Item>
          <Form.Item label="Models" name="models">
            <Select
              mode="multiple"
              options={(config?.models ?? []).map((value) => ({ value, label: value }))}
            />
          </Form.Item>
        </div>
        <Form.Item name="everyArm" valuePropName="checked" noStyle>
          <Checkbox>Every twin in every arm</Checkbox>
        </Form.Item>
        <Form.Item name="reversed" valuePropName="checked" noStyle>
          <Checkbox>Once more with options in reverse order</Checkbox>
        </Form.Item>

        <h3>Other</h3>
        <Form.Item label="Anything else" name="other">
          <Input.TextArea {...text} />
        </Form.Item>
        <Form.Item
          name="blind"
          valuePropName="checked"
          {...(plan.studyId != null && { extra: 'Stays as it is: the study has begun.' })}
        >
          <Checkbox disabled={plan.studyId != null}>
            Hide the results of the study until the plan is frozen
          </Checkbox>
        </Form.Item>
        {error !== null && <Alert type="error" title={error} />}
        <div className="plan-actions">
          <Button type="primary" htmlType="submit" loading={saving}>
            Save draft
          </Button>
          <Button disabled={saving} onClick={() => void save().then((saved) => saved && setAsked('freeze'))}>
            Freeze…
          </Button>
          {plan.studyId == null && (
            <Button danger disabled={saving} onClick={() => setAsked('delete')}>
              Delete draft…
            </Button>
          )}
        </div>
      </Form>
      {asked === 'freeze' && (
        <ConfirmDialog
          title="Freeze this plan?"
          action="Freeze"
          onConfirm={freeze}
          onClose={() => setAsked(null)}
        >
          The plan is kept with the survey as it is now, hashed and time-stamped. Nobody can change it
          afterwards. What is done otherwise from then on is listed as a deviation.
        </ConfirmDialog>
      )}
      {asked === 'delete' && (
        <ConfirmDialog
          title="Delete this draft?"
          action="Delete"
          onConfirm={remove}
          onClose={() => setAsked(null)}
        >
          What was written goes with it.
        </ConfirmDialog>
      )}
    </Panel>
  );
}
