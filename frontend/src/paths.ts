// Every address of the product, typed: `paths.survey(7)`.

export const paths = {
  landing: '/',
  login: '/login',
  getStarted: '/get-started',
  about: '/about',
  terms: '/terms',
  privacy: '/privacy',
  collaboration: '/collaboration',
  dashboard: '/dashboard',
  groups: '/groups',
  createGroup: '/groups?create',
  manageMembers: (group: number) => `/groups/${group}/manage-members` as const,
  admin: '/admin',
  profile: '/profile',
  settings: '/settings',
  simulationHistory: '/simulation-history',
  /** The runs of one survey, in their dialog. */
  runsOf: (survey: number) => `/simulation-history?survey=${survey}` as const,
  responses: (survey: number, simulation: string) => `/simulation-responses/${survey}/${simulation}` as const,
  /** The results of a run, question by question. */
  charts: (survey: number, simulation: string) =>
    `/simulation-responses/${survey}/${simulation}?tab=charts` as const,
  /** A run on paper. */
  report: (survey: number, simulation: string) =>
    `/simulation-responses/${survey}/${simulation}/report` as const,
  /** A run on the wall. */
  present: (survey: number, simulation: string) =>
    `/simulation-responses/${survey}/${simulation}/present` as const,
  /** A run's results for people without an account. */
  shared: (token: string) => `/shared/${token}` as const,
  /** The meaning of a figure; a paragraph by its heading. */
  evidence: (heading?: string) => (heading === undefined ? '/evidence' : `/evidence#${heading}`),
  planner: '/planner',
  validation: '/validation',
  /** The page of validations with its form filled in. */
  validationOf: (values: Record<string, string>) => `/validation?${new URLSearchParams(values).toString()}`,
  study: (study: string) => `/studies/${study}` as const,
  /** The plans of a survey's studies. */
  plans: (survey: number) => `/surveys/${survey}/plans` as const,
  plan: (plan: string) => `/study-plans/${plan}` as const,
  /** A frozen plan for people without an account. */
  sharedPlan: (token: string) => `/plans/${token}` as const,
  compare: (...simulations: string[]) => `/compare?runs=${simulations.join(',')}`,
  surveyBuilder: '/survey-builder',
  createSurvey: '/survey-builder?create',
  /** A new survey that begins with a classic study. */
  createSurveyOf: (study: string) => `/survey-builder?create=${study}`,
  survey: (survey: number) => `/surveys/${survey}` as const,
  myGroups: '/my-groups',
  createOwnGroup: '/my-groups?create',
  transactions: '/transactions',
} as const;

/** The sign-in that leads on to `next`, an address of the product. */
export const signInFor = (next: string) => `${paths.login}?next=${encodeURIComponent(next)}`;

/** The address that a sign-in leads to, from its own address; `null` for one outside the product. */
export function nextOf(query: URLSearchParams): string | null {
  const next = query.get('next');
  // Not `//host` nor `/\host`, which browsers take for other sites. They drop tabs and line breaks before they look, so
  // `/<tab>/host` is another site, too.
  return next !== null && /^\/(?![/\\])\P{Cc}*$/u.test(next) ? next : null;
}

/** The first page of a role. */
export function homeOf(role: 'super_admin' | 'admin' | 'user'): string {
  return role === 'super_admin' ? paths.groups : paths.myGroups;
}
