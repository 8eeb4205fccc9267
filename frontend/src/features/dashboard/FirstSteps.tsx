import type { ReactNode } from 'react';
import { Button, Steps } from 'antd';
import { Link } from 'react-router';
import { useAll } from '@/api/hooks';
import { useSession } from '@/api/session';
import type { Group, Simulation } from '@/api/types';
import { paths } from '@/paths';
import { markFirstRun, useFirstRun } from '@/runs/firstRun';
import { Help } from '@/ui/Help';
import { Panel } from '@/ui/Page';

/** The number of runs after which a user knows the way. */
const MANY_RUNS = 3;

/** The first steps of a newcomer, ticked off as they are done; gone once all are done or the list is dismissed. */
export function FirstSteps({ groups, runs }: { groups: readonly Group[]; runs: readonly Simulation[] }) {
  const user = useSession();
  const id = user?.id ?? null;
  const dismissed = useFirstRun('dismissed', id);
  const read = useFirstRun('charts', id);
  const own = runs.filter(({ userId }) => userId === id);
  const newcomer = !dismissed && own.length <= MANY_RUNS && !(read && own.length > 0);
  const { data: surveys } = useAll(newcomer ? '/api/surveys/my' : null, {});
  if (!newcomer || surveys === undefined) return null;

  const survey = surveys[0];
  const answered = own.find(({ successfulRequests }) => successfulRequests > 0);
  const steps: { title: string; done: boolean; content: ReactNode }[] = [
    {
      title: 'Be in a group',
      done: groups.length > 0,
      content:
        user?.role === 'admin' ? (
          <>
            <Link to={paths.createOwnGroup}>Create a group</Link>: its members spend their credits in it.
            <Help term="credits" />
          </>
        ) : (
          'Credits are given in groups: ask who invited you to add you to one.'
        ),
    },
    {
      title: 'Create a survey',
      done: surveys.length > 0,
      content: (
        <>
          <Link to={paths.createSurvey}>Write a few questions</Link>, or{' '}
          <Link to={paths.createSurveyOf('framing')}>take a classic study</Link> as it is.
        </>
      ),
    },
    {
      title: 'Start a pilot',
      done: own.length > 0,
      content: (
        <>
          {survey === undefined ? (
            'Open your survey'
          ) : (
            <Link to={paths.survey(survey.id)}>{survey.title}</Link>
          )}
          : Start, then “Pilot with 10 first”. Ten twins cost ten credits a question.
          <Help term="credits" />
        </>
      ),
    },
    {
      title: 'Read the charts',
      done: read && answered !== undefined,
      content: (
        <>
          {answered === undefined ? (
            'Once the twins have answered'
          ) : (
            <Link to={paths.charts(answered.surveyId, answered.simulationId)}>See what they say</Link>
          )}
          : split by gender or age, and download what you need.
        </>
      ),
    },
  ];
  const current = steps.findIndex(({ done }) => !done);
  return (
    <Panel
      title="First steps"
      extra={
        <Button type="text" onClick={() => markFirstRun('dismissed', id)}>
          Dismiss
        </Button>
      }
    >
      <Steps
        className="first-steps"
        orientation="vertical"
        size="small"
        current={current}
        items={steps.map(({ title, done, content }, place) => ({
          title: done ? (
            <>
              {title}
              <span className="visually-hidden"> (done)</span>
            </>
          ) : (
            title
          ),
          status: done ? ('finish' as const) : place === current ? ('process' as const) : ('wait' as const),
          ...(!done && { content }),
        }))}
      />
    </Panel>
  );
}
