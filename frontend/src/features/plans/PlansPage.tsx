import { useState } from 'react';
import { Alert, App, Button } from 'antd';
import { Link, useNavigate, useParams } from 'react-router';
import { api, failed } from '@/api/client';
import { refresh, useAll, useGet } from '@/api/hooks';
import { paths } from '@/paths';
import type { StudyPlan } from '@/runs/plan/form';
import { titleOf } from '@/runs/plan/words';
import { DataTable, type Column } from '@/ui/DataTable';
import { FigureHelp } from '@/ui/FigureHelp';
import { count, dateAndTime } from '@/ui/format';
import { EmptyState, LinkButton, Loading, NotHere, Page, Panel } from '@/ui/Page';
import { PlanState } from './PlanState';

/** The plans of a survey, and a new one. */
export default function PlansPage() {
  const surveyId = Number(useParams().surveyId);
  const { message } = App.useApp();
  const navigate = useNavigate();
  const [making, setMaking] = useState(false);
  const path = { surveyId };
  const survey = useGet('/api/surveys/{surveyId}', { params: { path } });
  const plans = useAll('/api/surveys/{surveyId}/plans', { params: { path } });
  const make = async () => {
    setMaking(true);
    try {
      const body = { title: survey.data?.title ?? '', blind: true };
      const made = await api.post('/api/surveys/{surveyId}/plans', { params: { path }, body });
      void refresh('/api/surveys');
      void navigate(paths.plan(made.planId));
    } catch (failure) {
      void message.error(failed('Failed to make a plan', failure));
      setMaking(false);
    }
  };
  if (survey.error?.status === 404)
    return (
      <NotHere title="Plans" back={<LinkButton to={paths.surveyBuilder}>Back to Surveys</LinkButton>}>
        There is no such survey, or you cannot see it.
      </NotHere>
    );
  const button = (
    <Button type="primary" loading={making} onClick={() => void make()}>
      New plan
    </Button>
  );
  return (
    <Page
      title="Plans"
      subtitle={
        <>
          Say what you expect and how you will look at it before you look: then freeze it.{' '}
          <FigureHelp about="plans">How plans work</FigureHelp>
        </>
      }
      trail={[
        { label: 'Surveys', to: paths.surveyBuilder },
        survey.data === undefined ? null : { label: survey.data.title, to: paths.survey(surveyId) },
        { label: 'Plans' },
      ]}
      actions={plans.data !== undefined && plans.data.length > 0 && button}
    >
      <Panel>
        {plans.error !== undefined && (
          <Alert type="error" title={failed('Failed to load plans', plans.error)} />
        )}
        {plans.data === undefined && plans.error === undefined && <Loading />}
        {plans.data?.length === 0 && (
          <EmptyState title="No plans yet" action={button}>
            A plan names the hypotheses, the primary questions and the runs of one study.
          </EmptyState>
        )}
        {plans.data !== undefined && plans.data.length > 0 && (
          <DataTable rows={plans.data} rowKey="planId" columns={columns} name="plans" />
        )}
      </Panel>
    </Page>
  );
}

const columns: Column<StudyPlan>[] = [
  {
    title: 'Plan',
    key: 'plan',
    untitled: true,
    render: (_, { planId, document }) => <Link to={paths.plan(planId)}>{titleOf(document)}</Link>,
  },
  {
    title: 'State',
    key: 'state',
    render: (_, { frozen }) => <PlanState frozenAt={frozen?.frozenAt} />,
  },
  {
    title: 'Study',
    key: 'study',
    render: (_, { studyId }) =>
      studyId == null ? 'Not started' : <Link to={paths.study(studyId)}>Open the study</Link>,
  },
  {
    title: 'Deviations',
    key: 'deviations',
    align: 'right',
    render: (_, { deviations }) => count(deviations.length),
  },
  { title: 'Saved', key: 'saved', render: (_, { updatedAt }) => dateAndTime(updatedAt) },
];
