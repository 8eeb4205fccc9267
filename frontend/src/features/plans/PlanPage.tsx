import { Alert, App, Button } from 'antd';
import { Link, useParams } from 'react-router';
import { api, failed } from '@/api/client';
import { useGet } from '@/api/hooks';
import { saveFile } from '@/api/saveFile';
import { paths } from '@/paths';
import type { StudyPlan } from '@/runs/plan/form';
import { dataWords, titleOf } from '@/runs/plan/words';
import { FigureHelp } from '@/ui/FigureHelp';
import { LinkButton, Loading, NotHere, Page, Panel } from '@/ui/Page';
import { Deviations } from './Deviations';
import { PlanEditor } from './PlanEditor';
import { PlanState } from './PlanState';
import { PlanText } from './PlanText';
import { Publication } from './Publication';
import './plans.css';

/** A plan of a study: a draft to write, or the frozen text and the deviations from it. */
export default function PlanPage() {
  const { planId = '' } = useParams();
  const { data: plan, error, mutate } = useGet('/api/plans/{planId}', { params: { path: { planId } } });
  const survey = useGet(plan === undefined ? null : '/api/surveys/{surveyId}', {
    params: { path: { surveyId: plan?.surveyId ?? 0 } },
  });
  if (error?.status === 404)
    return (
      <NotHere title="Plan" back={<LinkButton to={paths.surveyBuilder}>Back to Surveys</LinkButton>}>
        There is no such plan, or you cannot see it.
      </NotHere>
    );
  if (plan === undefined)
    return (
      <Page title="Plan">
        {error === undefined ? (
          <Loading />
        ) : (
          <Alert type="error" title={failed('Failed to load plan', error)} />
        )}
      </Page>
    );
  const title = titleOf(plan.document);
  const change = (changed: StudyPlan) => mutate(changed, { revalidate: false });
  const { frozen, studyId } = plan;
  return (
    <Page
      title={title}
      subtitle={<State plan={plan} />}
      trail={[
        { label: 'Surveys', to: paths.surveyBuilder },
        survey.data === undefined ? null : { label: survey.data.title, to: paths.survey(plan.surveyId) },
        { label: 'Plans', to: paths.plans(plan.surveyId) },
        { label: title },
      ]}
      actions={
        <>
          {frozen != null && <Files planId={planId} sha256={frozen.sha256} />}
          {studyId != null && <LinkButton to={paths.study(studyId)}>Open the study</LinkButton>}
        </>
      }
    >
      {plan.hidden && (
        <Alert
          type="info"
          role="status"
          title="The results of the study are hidden until this plan is frozen."
        />
      )}
      {frozen == null && plan.isOwner && <PlanEditor plan={plan} onChange={change} />}
      {(frozen != null || !plan.isOwner) && (
        <Panel title="Plan">
          {frozen != null && (
            <p className="plan-facts muted">
              {dataWords(frozen.dataBefore)} SHA-256 <code>{frozen.sha256}</code>
            </p>
          )}
          <PlanText plan={plan.document} />
        </Panel>
      )}
      {(frozen != null || plan.deviations.length > 0) && <Deviations plan={plan} onChange={change} />}
      {frozen != null && plan.isOwner && <Publication plan={plan} onChange={change} />}
    </Page>
  );
}

function State({ plan }: { plan: StudyPlan }) {
  return (
    <>
      <PlanState frozenAt={plan.frozen?.frozenAt} />{' '}
      {plan.studyId == null && (
        <>
          To follow it, choose it under “Plan” when you{' '}
          <Link to={paths.survey(plan.surveyId)}>start the survey</Link>.{' '}
        </>
      )}
      <FigureHelp about="plans">How plans work</FigureHelp>
    </>
  );
}

/** The plan as Markdown, for a registry, and as what was hashed. */
function Files({ planId, sha256 }: { planId: string; sha256: string }) {
  const { message } = App.useApp();
  const save = async (ending: 'md' | 'json') => {
    try {
      const params = { path: { planId } };
      const file = await api.get(`/api/plans/{planId}/plan.${ending}`, { params, parseAs: 'blob' });
      saveFile(file as Blob, `plan-${sha256.slice(0, 8)}.${ending}`);
    } catch (failure) {
      void message.error(failed('Failed to download the plan', failure));
    }
  };
  return (
    <>
      <Button onClick={() => void save('md')}>Markdown</Button>
      <Button onClick={() => void save('json')}>JSON as hashed</Button>
    </>
  );
}
