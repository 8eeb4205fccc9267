import { useState } from 'react';
import { Alert, App, Button, Form } from 'antd';
import { useNavigate } from 'react-router';
import { api, ApiError, failed } from '@/api/client';
import { refresh } from '@/api/hooks';
import { Conflict } from '@/editing/Conflict';
import { saveStateText, useSaveState } from '@/editing/saveState';
import { useSavedDocument } from '@/editing/useSavedDocument';
import { paths } from '@/paths';
import { documentOf, draftOf, type Draft, type NameNotFound, type StudyPlan } from '@/runs/plan/form';
import { ConfirmDialog } from '@/ui/Dialog';
import { Panel } from '@/ui/Page';
import { NamesNotFound, withName } from './NamesNotFound';
import { PlanFields } from './PlanFields';
import { PlanText } from './PlanText';
import './plans.css';

/** Texts of two drafts that say the same are equal. */
const textOf = (draft: Draft) => JSON.stringify(documentOf(draft));

/** A draft to be written, saved and frozen. */
export function PlanEditor({ plan, onChange }: { plan: StudyPlan; onChange: (plan: StudyPlan) => unknown }) {
  const { message } = App.useApp();
  const navigate = useNavigate();
  const [asked, setAsked] = useState<'freeze' | 'delete' | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [initial] = useState(() => draftOf(plan.document));
  const [draft, setDraft] = useState(initial);
  const params = { path: { planId: plan.planId } };
  const { state, setState, withSaveState } = useSaveState();
  const { saver, conflict, settle } = useSavedDocument<Draft, StudyPlan>(plan, {
    setState,
    write: (written, { updatedAt }) =>
      withSaveState(() =>
        api.put('/api/plans/{planId}', {
          params: { ...params, query: { expectedUpdatedAt: updatedAt } },
          body: documentOf(written),
        }),
      ),
    isSame: (saved, written) => textOf(draftOf(saved.document)) === textOf(written),
    changedTo: (failure) =>
      failure instanceof ApiError && failure.code === 'plan_changed'
        ? api.get('/api/plans/{planId}', { params })
        : undefined,
    onSaved: onChange,
  });
  const [form] = Form.useForm<Draft>();
  const show = (next: Draft) => {
    setDraft(next);
    form.setFieldsValue(next);
  };
  const isSaving = state.kind === 'saving';
  /** Resolves to whether it was saved. */
  const save = async (written = draft) => {
    setError(null);
    try {
      return await saver.now(written);
    } catch {
      // The save state names the reason.
      return false;
    }
  };
  const replace = (missing: NameNotFound, name: string) => {
    const next = withName(draft, plan.document, missing, name);
    show(next);
    void save(next);
  };
  const resolveConflict = (keepsMine: boolean) => {
    const theirs = settle(keepsMine ? draft : null);
    if (keepsMine || theirs === null) return;
    show(draftOf(theirs.document));
    void onChange(theirs);
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
          setDraft(values);
          saver.later(values);
        }}
        onFinish={() => void save().then((saved) => saved && message.success('Plan saved'))}
      >
        <PlanFields plan={plan} />
        {conflict !== null && (
          <Conflict
            name="This plan"
            mine={<PlanText plan={documentOf(draft)} />}
            theirs={conflict.theirs === null ? null : <PlanText plan={conflict.theirs.document} />}
            onSettle={resolveConflict}
          />
        )}
        {conflict === null && state.kind === 'failed' && (
          <Alert type="error" title={`Failed to save the plan: ${state.reason}`} />
        )}
        {error !== null && <Alert type="error" title={error} />}
        <div className="plan-actions row">
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
          <span className="muted small" role="status">
            {saveStateText(state)}
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
          afterwards. Later changes are listed as deviations.
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
