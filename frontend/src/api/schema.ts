// The calls of the API, in the form that openapi-typescript writes.
import type * as t from './types';

type Operation<Answer, Body = never, Path = never, Query = never> = {
  parameters: { path: Path; query?: Query };
  requestBody: { content: { 'application/json': Body } };
  responses: { 200: { content: { 'application/json': Answer } } };
};
type Get<Answer, Path = never, Query = Page> = Operation<Answer, never, Path, Query>;
type Done = { message?: string };
type Id = { id: number };
type Run = { id: number; simId: string };
type Page = { limit?: number; offset?: number };
type Control = { post: Operation<t.Simulation, never, Id> };

export interface paths {
  '/api/auth/request-login': { post: Operation<Done, { email: string }> };
  '/api/auth/verify-login': { post: Operation<{ access_token: string }, { email: string; code: string }> };
  '/api/auth/profile': { get: Get<t.Profile>; put: Operation<t.Profile, { name: string }> };
  '/api/auth/photo': { post: Operation<t.Profile, FormData> };
  '/api/auth/request-group': {
    post: Operation<
      Done,
      { email: string; instituteName: string; purposeOfUse: string; description: string }
    >;
  };
  '/api/auth/settings': { get: Get<t.Settings>; put: Operation<t.Settings, t.Settings> };
  '/api/auth/data': { get: Get<Record<string, unknown>> };
  '/api/auth/account': { delete: Operation<Done> };
  '/api/groups': {
    get: Get<t.Group[]>;
    post: Operation<
      t.Group,
      { group_name: string; default_budget_per_user: number; owner_email: string; status: string }
    >;
  };
  '/api/groups/my': { get: Get<t.Group[]> };
  '/api/groups/{id}': {
    get: Get<t.Group, Id>;
    patch: Operation<t.Group, { group_name?: string; default_budget_per_user?: number; status?: string }, Id>;
    delete: Operation<Done, never, Id>;
  };
  '/api/groups/{id}/members': {
    get: Get<t.GroupMember[], Id>;
    post: Operation<t.GroupMember, { email: string; budget: number }, Id>;
  };
  '/api/groups/{id}/members/{userId}': { delete: Operation<Done, never, Id & { userId: number }> };
  '/api/groups/{id}/members/{userId}/budget': {
    patch: Operation<t.GroupMember, { budget: number }, Id & { userId: number }>;
  };
  '/api/groups/{id}/members/{userId}/status': {
    patch: Operation<t.GroupMember, { status: 'active' | 'suspended' }, Id & { userId: number }>;
  };
  '/api/groups/{id}/members/budgets': {
    patch: Operation<t.GroupMember[], { userId: number; budget: number }[], Id>;
  };
  '/api/groups/{id}/usage': { get: Get<t.MemberUsage[], Id> };
  '/api/transactions': { get: Get<t.Transaction[]> };
  '/api/transactions/all': { get: Get<t.Transaction[]> };
  '/api/transactions/user-groups': { get: Get<t.Transaction[]> };
  '/api/surveys/my': { get: Get<t.Survey[]> };
  '/api/surveys': {
    post: Operation<
      t.Survey,
      { title: string; description: string; groupId: number; visibility: t.Visibility }
    >;
  };
  '/api/surveys/{id}': {
    get: Get<t.Survey, Id>;
    patch: Operation<t.Survey, { title?: string; description?: string; visibility?: t.Visibility }, Id>;
    delete: Operation<Done, never, Id>;
  };
  '/api/surveys/{id}/questions': {
    get: Get<t.Question[], Id>;
    post: Operation<t.Question, t.QuestionPayload, Id>;
  };
  '/api/surveys/questions/{id}': {
    patch: Operation<t.Question, t.QuestionPayload, Id>;
    delete: Operation<Done, never, Id>;
  };
  '/api/surveys/{id}/questions/order': {
    patch: Operation<t.Question[], { questionOrders: { id: number; order: number }[] }, Id>;
  };
  '/api/surveys/{id}/duplicate': {
    post: Operation<{ duplicatedSurvey: t.Survey }, { title: string }, Id>;
  };
  '/api/surveys/{id}/simulation-config': { get: Get<t.SimulationConfig, Id> };
  '/api/surveys/{id}/simulation-history': { get: Get<t.Simulation[], Id> };
  '/api/surveys/{id}/simulation-status': { get: Get<t.Progress, Id> };
  '/api/surveys/{id}/simulation/{simId}/responses/debug': { get: Get<t.SimulationResponse[], Run> };
  '/api/surveys/{id}/simulation/{simId}/responses/formatted': { get: Get<t.SimulationResponse[], Run> };
  '/api/surveys/{id}/simulation/{simId}/responses/export': {
    get: Get<t.SimulationResponse[], Run, Page & { format?: 'csv' | 'xlsx' | 'jsonl' }>;
  };
  '/api/surveys/{id}/simulation/{simId}/summary': {
    get: Get<t.ResponsesSummary, Run, { by?: string }>;
  };
  '/api/simulations': { get: Get<t.Simulation[]> };
  '/api/simulations/survey/{id}/start': { post: Operation<t.Simulation, t.StartSimulation, Id> };
  '/api/simulations/survey/{id}/progress': { get: Get<t.Progress, Id> };
  '/api/simulations/survey/{id}/live-progress': { get: Get<t.Progress, Id> };
  '/api/simulations/survey/{id}/refresh-status': { get: Get<t.Progress, Id> };
  '/api/simulations/check-all-statuses': { post: Operation<t.Progress[]> };
  '/api/simulations/survey/{id}/reset-counters': Control;
  '/api/simulations/survey/{id}/stop': Control;
  '/api/simulations/survey/{id}/pause': Control;
  '/api/simulations/survey/{id}/resume': Control;
  '/api/simulations/retry-failed/{id}': { post: Operation<t.Simulation, { surveyId: number }, Id> };
  '/api/simulations/queue/trigger': { post: Operation<Done> };
  '/api/simulations/queue/status': { get: Get<t.QueueStatus> };
  '/api/personas': {
    get: Get<t.Persona[], never, Page & Record<string, string | number | undefined>>;
    delete: Operation<Done>;
  };
  '/api/personas/count': { get: Get<{ count: number }> };
  '/api/personas/search': { get: Get<t.Persona[], never, { q: string; limit?: number }> };
  '/api/personas/import/csv': { post: Operation<t.ImportReport, FormData> };
  '/api/access-requests': { get: Get<t.AccessRequest[]> };
  '/api/access-requests/{id}/approve': { post: Operation<t.AccessRequest, never, Id> };
  '/api/access-requests/{id}/reject': { post: Operation<t.AccessRequest, { reason: string }, Id> };
}
