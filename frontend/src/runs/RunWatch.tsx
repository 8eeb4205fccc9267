import { App } from 'antd';
import { Link } from 'react-router';
import { askedOf } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { count } from '@/ui/format';
import { NEWS_SECONDS, useRunWatch, type Ended } from './useRunWatch';

/**
 * Notices on every page that a run or a study of the user has ended: a message with a link, and outside the tab if they asked
 * for it.
 */
export function RunWatch() {
  const { message } = App.useApp();
  useRunWatch((runs, retried) => {
    const [{ simulationId, surveyId, studyId }] = runs;
    const key = studyId ?? simulationId;
    const view = (
      <>
        {newsOf(runs, retried)} ·{' '}
        <Link
          to={studyId == null ? paths.charts(surveyId, simulationId) : paths.study(studyId)}
          // Colour alone does not tell it from the text before it.
          style={{ textDecoration: 'underline' }}
          onClick={() => message.destroy(key)}
        >
          View results
        </Link>
      </>
    );
    void message.open({
      key,
      content: view,
      type: runs.every(isComplete) ? 'success' : 'warning',
      duration: NEWS_SECONDS,
    });
    notify(newsOf(runs, retried), key);
  });
  return null;
}

const isComplete = ({ status }: Simulation) => status === 'COMPLETED';

/** `2,000 twins answered`, `Stopped after 711 of 3,600 answers`. */
export function newsOf(runs: Ended, retried = false): string {
  const [run] = runs;
  const title = run.name ?? run.surveyTitle;
  const { status, personaCount, successfulRequests, failedRequests, studyId } = run;
  const twins = `${title}: ${count(personaCount)} twins answered`;
  if (studyId != null) {
    const lacking = runs.filter((each) => !isComplete(each)).length;
    return lacking === 0
      ? `${twins} in all runs of the study`
      : `${title}: the study has ended, ${count(lacking)} of its runs without all answers`;
  }
  if (status === 'COMPLETED') {
    return retried ? `${title}: Failed requests retried successfully` : twins;
  }
  if (status === 'STOPPED')
    return `${title}: stopped after ${count(successfulRequests)} of ${count(askedOf(run))} answers`;
  return `${title}: ${count(failedRequests)} of ${count(askedOf(run))} requests failed`;
}

/** Only for those who allowed it, and who look at something else. */
function notify(body: string, tag: string): void {
  if (!('Notification' in window) || Notification.permission !== 'granted' || !document.hidden) return;
  const news = new Notification('Digital Twin Lab', { body, tag });
  news.onclick = () => {
    window.focus();
    news.close();
  };
}
