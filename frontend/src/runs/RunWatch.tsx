import { useEffect, useRef } from 'react';
import { App } from 'antd';
import { Link } from 'react-router';
import { useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { isActive, isMoving } from '@/api/runs';
import { useSession } from '@/api/session';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { count } from '@/ui/format';

const POLL_MS = 5000;
/** Seconds that the news of an ended run stays: longer than an answer to a click. */
const NEWS_SECONDS = 15;

/** Notices on every page that a run of the user has ended: a message with a link, and outside the tab if they asked for it. */
export function RunWatch() {
  const { message } = App.useApp();
  const user = useSession();
  const { data: runs } = useGet(
    '/api/simulations',
    { params: { query: { limit: 50 } } },
    polling(POLL_MS, (latest) => latest?.some(({ status }) => isMoving(status)) ?? false),
  );
  const moving = useRef(new Set<string>());
  useEffect(() => {
    if (runs === undefined) return;
    for (const run of runs) {
      if (isActive(run.status)) moving.current.add(run.simulationId);
      else if (moving.current.delete(run.simulationId) && run.userId === user?.id) {
        const key = run.simulationId;
        const view = (
          <>
            {newsOf(run)} ·{' '}
            <Link to={paths.responses(run.surveyId, run.simulationId)} onClick={() => message.destroy(key)}>
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
      }
    }
  }, [runs, message, user]);
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
