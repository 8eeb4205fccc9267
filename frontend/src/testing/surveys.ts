import type { Question } from '@/api/types';
import { config, group, question, settings, survey } from './fixtures';
import { signInAs } from './render';
import { mockServer } from './server';

/** Signs a user in at a server with what every page of a survey asks for; all surveys have the same questions. */
export function surveyServer(questions: () => Question[] = () => [question]) {
  const server = mockServer();
  server.get('/api/groups/my', () => [group]);
  server.get('/api/surveys/{surveyId}', () => ({ ...survey, questions: questions() }));
  server.get('/api/surveys/{surveyId}/questions', questions);
  server.get('/api/auth/settings', () => settings);
  server.get('/api/surveys/{surveyId}/simulation-config', () => config);
  server.get('/api/personas/attributes', () => []);
  signInAs('user');
  return server;
}
