import { screen, waitFor } from '@testing-library/react';
import { expect } from 'vitest';
import type { Design } from '@/api/design';
import type { Question } from '@/api/types';
import { question } from './fixtures';
import { visit } from './render';
import { refusal } from './server';
import { surveyServer } from './surveys';

/** What a {@link designServer} has stored. */
export interface DesignState {
  design: Design & { hash: string };
  questions: Question[];
}

/** A question with the name in its text. */
export const ask = (name: string, id: number, more: Partial<Question> = {}): Question => ({
  ...question,
  id,
  name,
  order: id,
  text: `About ${name}`,
  ...more,
});

/** A flow of two blocks with the questions of a {@link designServer}. */
export const twoBlocks: Design['flow'] = [
  { block: 'screen', questions: ['ok'] },
  { block: 'main', questions: ['drink', 'why'] },
];

/** Signs a user in at a server with survey 3: three questions, `ok`, `drink` and `why`, and the given flow. */
export function designServer(flow: Design['flow'] = []) {
  const state: DesignState = {
    design: { flow, tables: {}, hash: 'h0' },
    questions: [ask('ok', 1, { questionType: 'BOOLEAN', options: [] }), ask('drink', 2), ask('why', 3)],
  };
  const server = surveyServer(() => state.questions);
  server.get('/api/personas/attributes', () => [
    { label: 'Gender', values: [{ value: 'Female', count: 1 }] },
  ]);
  server.get('/api/surveys/{surveyId}/design', () => state.design as never);
  server.put('/api/surveys/{surveyId}/design', ({ body }) => {
    const { flow, tables, expectedHash } = body as Design & { expectedHash: string };
    if (expectedHash !== state.design.hash)
      return refusal(409, 'The design is not the expected one', 'design_changed');
    state.design = { flow, tables, hash: nextHash(state) };
    return state.design as never;
  });
  server.post('/api/surveys/{surveyId}/design/check', () => ({ findings: [], requestsPerTwin: 3, arms: [] }));
  return { server, state };
}

export const nextHash = ({ design }: DesignState) => `h${Number(design.hash.slice(1)) + 1}`;

/** Waits until the server has stored the flow. */
export const isSaved = (state: DesignState, flow: unknown) =>
  waitFor(() => expect(state.design.flow).toEqual(flow));

/** Opens the survey of a {@link designServer} at one of its tabs. */
export async function openDesign(tab = 'flow') {
  const visited = visit(`/surveys/3?tab=${tab}`);
  await screen.findByRole('tab', { name: 'Flow', selected: tab === 'flow' });
  return visited;
}
