import { useEffect } from 'react';
import { useAll, useGet } from '@/api/hooks';
import type { Survey } from '@/api/types';

const LIST_MS = 2000;
const PROGRESS_MS = 1000;
const STATUS_MS = 3000;
const RECENT_MS = 30_000;

export const isRunning = (survey: Survey) => survey.simulation_status === 'RUNNING';

/** Completed within the last 30 seconds. */
export function isRecent(survey: Survey, now = Date.now()): boolean {
  const { simulation_status: status, simulation_completed_at: completed } = survey;
  return status === 'COMPLETED' && completed != null && now - Date.parse(completed) <= RECENT_MS;
}

const isLive = (survey: Survey) => isRunning(survey) || isRecent(survey);

/** One's surveys, asked again every 2 s while one of them runs or has just ended. */
export function useSurveys() {
  const surveys = useAll(
    '/api/surveys/my',
    {},
    { refreshInterval: (latest) => (latest?.some(isLive) ? LIST_MS : 0), keepPreviousData: true },
  );
  return surveys;
}

/** A running survey's progress every second, its reconciled status every 3 s; `onStatus` hears of a change. */
export function useLiveProgress(surveyId: number, live: boolean, onChange: () => void) {
  const options = { path: { surveyId } };
  const progress = useGet(live ? '/api/simulations/survey/{surveyId}/live-progress' : null, options, {
    refreshInterval: PROGRESS_MS,
    shouldRetryOnError: false,
  });
  useGet(live ? '/api/simulations/survey/{surveyId}/refresh-status' : null, options, {
    refreshInterval: STATUS_MS,
    shouldRetryOnError: false,
  });
  const status = progress.data?.simulationStatus;
  useEffect(() => {
    if (live && status !== undefined && status !== 'RUNNING') onChange();
  }, [live, status, onChange]);
  return progress.data;
}
