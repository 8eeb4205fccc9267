import { useState } from 'react';
import { App } from 'antd';
import { api, failed, messageOf } from '@/api/client';
import { refresh } from '@/api/hooks';
import type { Simulation } from '@/api/types';
import { watch, watchRetry } from './watched';

export type RunAction = 'pause' | 'resume' | 'stop' | 'retry' | 'continue' | 'reset' | 'refresh';

const withReason = (sentence: string) => (error: unknown) => failed(sentence, error);

/** The messages when an action is done, and when it fails. */
const words: Record<RunAction, { done: string; failed: (error: unknown) => string }> = {
  pause: { done: 'Simulation paused', failed: withReason('Failed to pause simulation') },
  resume: { done: 'Simulation resumed', failed: withReason('Failed to resume simulation') },
  stop: { done: 'Simulation stopped', failed: withReason('Failed to stop simulation') },
  continue: { done: 'Simulation continued', failed: withReason('Failed to continue simulation') },
  // Success is reported when the last of them is answered.
  retry: { done: 'Asking the failed requests again', failed: retryRefused },
  reset: {
    done: 'Simulation counters reset successfully',
    failed: withReason('Failed to reset simulation counters'),
  },
  refresh: {
    done: 'Simulation status refreshed',
    failed: withReason('Failed to refresh simulation status'),
  },
};

/** Asks again what failed in a run. */
export async function retryFailed({ simulationId, surveyId }: Simulation): Promise<void> {
  await api.post('/api/simulations/retry-failed/{simulationId}', {
    params: { path: { simulationId } },
    body: { surveyId },
  });
  watchRetry(simulationId);
}

/** Asks what was left open when a run was stopped. */
async function continueRun(simulationId: string): Promise<void> {
  await api.post('/api/simulations/{simulationId}/continue', { params: { path: { simulationId } } });
  watch(simulationId);
}

/** Why requests could not be asked again, with a reason in every case. */
export function retryRefused(error: unknown): string {
  const reason = messageOf(error, error instanceof Error ? error.message : '');
  return `Failed to retry failed requests: ${reason || 'Unknown error occurred'}`;
}

/** The actions on a run, one at a time; a message says how each went. */
export function useRunActions(run: Simulation, onChange: () => void) {
  const { message } = App.useApp();
  const [busy, setBusy] = useState<RunAction | null>(null);
  const path = { simulationId: run.simulationId };
  const perform: Record<RunAction, () => Promise<unknown>> = {
    pause: () => api.post('/api/simulations/{simulationId}/pause', { params: { path } }),
    resume: () => api.post('/api/simulations/{simulationId}/resume', { params: { path } }),
    stop: () => api.post('/api/simulations/{simulationId}/stop', { params: { path } }),
    retry: () => retryFailed(run),
    continue: () => continueRun(run.simulationId),
    reset: () => api.post('/api/simulations/{simulationId}/reset-counters', { params: { path } }),
    refresh: () => api.get('/api/simulations/{simulationId}/refresh-status', { params: { path } }),
  };
  const act = async (action: RunAction) => {
    setBusy(action);
    try {
      await perform[action]();
      void message.success(words[action].done);
    } catch (error) {
      void message.error(words[action].failed(error));
    }
    setBusy(null);
    onChange();
    void refresh('/api/simulations');
  };
  return { busy, act };
}
