import { expect } from '@playwright/test';
import type { Lab } from './lab.ts';

/** A question as a survey file has it. */
export interface FileQuestion {
  text: string;
  type: string;
  [field: string]: unknown;
}

/** Imports a survey into the caller's first group, or the one that is named; its id. */
export async function importSurvey(
  lab: Lab,
  as: string,
  survey: { title: string; description?: string; questions: FileQuestion[] },
  groupId?: number,
): Promise<number> {
  const [first] = (await lab.call(as, 'GET', '/api/groups/my')) as [{ id: number }];
  const path = `/api/surveys/import?groupId=${groupId ?? first.id}`;
  const { id } = (await lab.call(as, 'POST', path, survey)) as { id: number };
  return id;
}

/** Starts a run; its id. */
export async function start(lab: Lab, as: string, survey: number, body: object): Promise<string> {
  const { simulationId } = (await lab.call(as, 'POST', `/api/simulations/survey/${survey}/start`, body)) as {
    simulationId: string;
  };
  return simulationId;
}

/** How long a run may take on a busy machine, in milliseconds. */
export const MAX_RUN_MS = 300_000;

/** Starts a run and waits until it has ended; its id. */
export async function run(lab: Lab, as: string, survey: number, body: object): Promise<string> {
  const id = await start(lab, as, survey, body);
  const status = async () =>
    ((await lab.call(as, 'GET', `/api/simulations/${id}`)) as { status: string }).status;
  await expect.poll(status, { timeout: MAX_RUN_MS }).toBe('COMPLETED');
  return id;
}
