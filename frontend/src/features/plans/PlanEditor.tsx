import { useRef, useState } from 'react';
import { Alert, App, Button, Form } from 'antd';
import { useNavigate } from 'react-router';
import { api, failed } from '@/api/client';
import { refresh } from '@/api/hooks';
import { useSaving } from '@/editing/useSaving';
import { paths } from '@/paths';
import { documentOf, draftOf, type Draft, type NameNotFound, type StudyPlan } from '@/runs/plan/form';
import { ConfirmDialog } from '@/ui/Dialog';
import { timeOfDay } from '@/ui/format';
import { Panel } from '@/ui/Page';
import { NamesNotFound, withName } from './NamesNotFound';
import { PlanFields } from './PlanFields';
import './plans.css';

/** A draft to be written, saved and frozen. */
export function PlanEditor({ plan, onChange }: { plan: StudyPlan; onChange: (plan: StudyPlan) => unknown }) {
  const { message } = App.useApp();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'freeze' | 'delete' | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [initial] = useState(() => draftOf(plan.document));
  /** The current text of the draft. */
  const draft = useRef(initial);
  const params = { path: { planId: plan.planId } };
  const saving = useSaving(async (written: Draft) => {
    await onChange(await api.put('/api/plans/{planId}', { params, body: documentOf(written) }));
  });
  const [form] = Form.useForm<Draft>();
  const replace = (missing: NameNotFound, name: string) => {
    draft.current = withName(draft.current, plan.document, missing, name);
    form.setFieldsValue(draft.current);
    void saving.now(draft.current);
  };
  const isSaving = saving.state.kind === 'saving';
  const save = async () => {
    setError(null);
    return saving.now(draft.current);
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
      <NamesNotFound names={plan.notFound ?? []} onReplace={replace} />
      <Form
        form={form}
        layout="vertical"
        className="plan-form"
        initialValues={initial}
        onValuesChange={(_, values: Draft) => {
          draft.current = values;
          saving.later(values);
        }}
        onFinish={() => void save().then((saved) => saved && message.success('Plan saved'))}
      >
        <PlanFields plan={plan} />
        {saving.state.kind === 'failed' && (
          <Alert type="error" title={failed('Failed to save the plan', saving.state.failure)} />
        )}
        {error !== null && <Alert type="error" title={error} />}
        <div className="plan-actions">
          <Button type="primary" htmlType="submit" disabled={isSaving}>
            Save draft
          </Button>
          <Button
            disabled={isSaving}
            onClick={() => void save().then((saved) => saved && setAsked('freeze'))}
          >
            Freeze…
          </Button>
          {plan.studyId == null && (
            <Button danger disabled={isSaving} onClick={() => setAsked('delete')}>
              Delete draft…
            </Button>
          )}
          <span className="plan-saved" role="status">
            {isSaving && 'Saving…'}
            {saving.state.kind === 'saved' && `Saved ${timeOfDay(saving.state.at)}`}
          </span>
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
