import { Alert } from 'antd';
import { useParams } from 'react-router';
import { useGet } from '@/api/hooks';
import { dataWords, universal } from '@/runs/plan/words';
import { SharedFrame } from '@/shell/SharedFrame';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';
import { EmptyState, Loading, Page, Panel } from '@/ui/Page';
import { DeviationTable } from './DeviationTable';
import { PlanText } from './PlanText';
import './plans.css';

/** A frozen plan, for all who have its address. */
export default function SharedPlanPage() {
  const { token = '' } = useParams();
  return (
    <SharedFrame>
      <SharedPlan token={token} />
    </SharedFrame>
  );
}

function SharedPlan({ token }: { token: string }) {
  const { data, error } = useGet('/api/shared-plans/{token}', { params: { path: { token } } });
  if (error?.status === 404)
    return (
      <Page title="This address leads nowhere">
        <Panel>
          <EmptyState title="Nothing is here">
            The plan was withdrawn, or a letter of the address is missing. Ask who sent it for another.
          </EmptyState>
        </Panel>
      </Page>
    );
  if (data === undefined)
    return error === undefined ? <Loading /> : <Alert type="error" title="Failed to load the plan" />;
  const { document: plan, frozenAt, sha256, surveyTitle, questionCount, started, deviations } = data;
  const file = (ending: string) => `/api/shared-plans/${encodeURIComponent(token)}/plan.${ending}`;
  return (
    <Page title={plan.title ?? ''} {...(plan.authors && { subtitle: plan.authors })}>
      <Alert
        type="info"
        title={`Frozen ${universal(frozenAt)}. ${dataWords(data.dataBefore)}`}
        description={
          <>
            SHA-256 <code className="plan-value">{sha256}</code>
          </>
        }
      />
      <p className="muted long-word">
        In this study digital twins answer the survey “{surveyTitle}” ({count(questionCount)}{' '}
        {questionCount === 1 ? 'question' : 'questions'}): a language model that reads a profile of a person
        answers in that person’s place. The study has {started ? 'been started' : 'not been started yet'}.
        Download the plan as <a href={file('md')}>Markdown</a>, or with the survey as it was hashed, as{' '}
        <a href={file('json')}>JSON</a>. <FigureHelp about="plans">How plans are frozen</FigureHelp>
      </p>
      <Panel title="Plan">
        <PlanText plan={plan} />
      </Panel>
      <Panel title="Deviations so far">
        <DeviationTable rows={deviations} />
      </Panel>
    </Page>
  );
}
