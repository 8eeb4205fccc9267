import { App } from 'antd';
import { Link } from 'react-router';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { count } from '@/ui/format';
import { NEWS_SECONDS, useRunWatch } from './useRunWatch';

/** Notices on every page that a run of the user has ended: a message with a link, and outside the tab if they asked for it. */
export function RunWatch() {
  const { message } = App.useApp();
  useRunWatch((run) => {
    const key = run.simulationId;
    const view = (
      <>
        {newsOf(run)} ·{' '}
        <Link
          to={paths.charts(run.surveyId, run.simulationId)}
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
      type: run.status === 'COMPLETED' ? 'success' : 'warning',
      duration: NEWS_SECONDS,
    });
    notify(run);
  });
  return null;
}

/** `2,000 twins answered`, `Stopped after 711 of 3,600 answers`. */
export function newsOf({
  status,
  personaCount,
  successfulRequests,
  failedRequests,
  totalRequests,
  surveyTitle,
  name,
}: Simulation): string {
  const title = name ?? surveyTitle;
  if (status === 'COMPLETED') return `${title}: ${count(personaCount)} twins answered`;
  if (status === 'STOPPED')
    return `${title}: stopped after ${count(successfulRequests)} of ${count(totalRequests)} answers`;
  return `${title}: ${count(failedRequests)} of ${count(totalRequests)} requests failed`;
}

/** Only for those who allowed it, and who look at something else. */
function notify(run: Simulation): void {
  if (!('Notification' in window) || Notification.permission !== 'granted' || !document.hidden) return;
  const news = new Notification('Digital Twin Lab', { body: newsOf(run), tag: run.simulationId });
  news.onclick = () => {
    window.focus();
    news.close();
  };
}
