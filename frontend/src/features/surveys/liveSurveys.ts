import { useEffect } from 'react';
import { useAll, useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { isMoving } from '@/api/runs';
import type { SimulationStatus, Survey } from '@/api/types';

const LIST_MS = 2000;
const PROGRESS_MS = 1000;
const STATUS_MS = 3000;
const RECENT_MS = 30_000;

export const isRunning = (survey: Survey) => survey.simulation_status === 'RUNNING';

/** Its simulation is waiting or running, so that no other one can start. */
export function isUnderWay({ simulation_status: status }: Survey): boolean {
  return status != null && isMoving(status as SimulationStatus);
}

/** Completed within the last 30 seconds. */
export function isRecent(survey: Survey, now = Date.now()): boolean {
  const { simulation_status: status, simulation_completed_at: completed } = survey;
  return status === 'COMPLETED' && completed != null && now - Date.parse(completed) <= RECENT_MS;
}

/** Its latest simulation is waiting, running or has just ended. */
const isLive = (survey: Survey) => isUnderWay(survey) || isRecent(survey);

/** The user's surveys, polled while one of them is live. */
export function useSurveys() {
  const config = polling<Survey[]>(LIST_MS, (latest) => latest?.some(isLive) ?? false);
  return useAll('/api/surveys/my', {}, { ...config, keepPreviousData: true });
}

/**
 * Polls a live survey's progress and its reconciled status. Calls `onChange` when its simulation is in another state
 * than the survey says.
 */
export function useLiveProgress(survey: Survey, onChange: () => void) {
  const live = isLive(survey);
  const options = { params: { path: { surveyId: survey.id } } };
  const { data: progress } = useGet(
    live ? '/api/simulations/survey/{surveyId}/live-progress' : null,
    options,
    polling(PROGRESS_MS, () => isLive(survey)),
  );
  useGet(
    live ? '/api/simulations/survey/{surveyId}/refresh-status' : null,
    options,
    polling(STATUS_MS, () => isLive(survey)),
  );
  const changed = live && progress !== undefined && progress.simulationStatus !== survey.simulation_status;
  useEffect(() => {
    if (changed) onChange();
  }, [changed, onChange]);
  return progress;
}
