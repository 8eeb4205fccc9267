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
  surveyBuilder: '/survey-builder',
  survey: (survey: number) => `/surveys/${survey}` as const,
  myGroups: '/my-groups',
  transactions: '/transactions',
} as const;

/** Where a role starts. */
export function homeOf(role: 'super_admin' | 'admin' | 'user'): string {
  return role === 'super_admin' ? paths.groups : paths.myGroups;
}
