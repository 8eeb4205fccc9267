import type { ComponentType } from 'react';
import { createBrowserRouter, Outlet, type RouteObject } from 'react-router';
import { paths } from './paths';
import { Only, SessionGuard } from './shell/guards';
import { RouteError } from './shell/RouteError';

type Load = () => Promise<{ default: ComponentType }>;

/** A page in a chunk of its own, loaded when first visited. */
const page = (path: string, load: Load): RouteObject => ({
  path,
  lazy: async () => ({ Component: (await load()).default }),
});

const forSuperAdmins = (otherwise: string, children: RouteObject[]): RouteObject => ({
  element: (
    <Only roles={['super_admin']} otherwise={otherwise}>
      <Outlet />
    </Only>
  ),
  children,
});

const forResearchers = (otherwise: string, children: RouteObject[]): RouteObject => ({
  element: (
    <Only roles={['admin', 'user']} otherwise={otherwise}>
      <Outlet />
    </Only>
  ),
  children,
});

const publicPages: RouteObject[] = [
  page(paths.landing, () => import('./public/Landing')),
  page(paths.getStarted, () => import('./public/GetStarted')),
  page(paths.about, () => import('./public/About')),
  page(paths.collaboration, () => import('./public/Collaboration')),
  page(paths.terms, () => import('./public/Terms')),
  page(paths.privacy, () => import('./public/Privacy')),
  page(paths.evidence(), () => import('./public/EvidencePage')),
  page(paths.login, () => import('./public/Login')),
];

const signedInPages: RouteObject[] = [
  page(paths.dashboard, () => import('./features/dashboard/Dashboard')),
  page(paths.myGroups, () => import('./features/groups/MyGroups')),
  page('/groups/:groupId/manage-members', () => import('./features/groups/ManageMembers')),
  page(paths.profile, () => import('./features/accounts/Profile')),
  page(paths.settings, () => import('./features/accounts/SettingsPage')),
  page(paths.transactions, () => import('./features/transactions/Transactions')),
  page(paths.simulationHistory, () => import('./features/simulations/SimulationHistory')),
  page('/simulation-responses/:surveyId/:simulationId', () => import('./pages/run/Responses')),
  forSuperAdmins(paths.myGroups, [
    page(paths.groups, () => import('./features/groups/Groups')),
    page(paths.admin, () => import('./features/admin/Admin')),
  ]),
  forResearchers(paths.groups, [
    page(paths.surveyBuilder, () => import('./features/surveys/SurveyBuilder')),
    page('/surveys/:surveyId', () => import('./features/surveys/QuestionsEditor')),
  ]),
];

export const routes: RouteObject[] = [
  {
    element: <SessionGuard />,
    errorElement: <RouteError />,
    HydrateFallback: () => null,
    children: [
      ...publicPages,
      page(
        '/simulation-responses/:surveyId/:simulationId/present',
        () => import('./features/presenter/PresenterPage'),
      ),
      page('/shared/:token', () => import('./pages/shared/SharedPage')),
      page('/plans/:token', () => import('./features/plans/SharedPlanPage')),
      {
        lazy: async () => ({ Component: (await import('./shell/AppLayout')).default }),
        children: [
          ...signedInPages,
          page(
            '/simulation-responses/:surveyId/:simulationId/report',
            () => import('./pages/report/ReportPage'),
          ),
          page('/surveys/:surveyId/plans', () => import('./features/plans/PlansPage')),
          page('/study-plans/:planId', () => import('./features/plans/PlanPage')),
          page('/studies/:studyId', () => import('./pages/study/StudyPage')),
          page(paths.planner, () => import('./features/planner/Planner')),
          page(paths.validation, () => import('./features/validation/ValidationPage')),
          page('/compare', () => import('./features/compare/ComparePage')),
        ],
      },
      page('*', () => import('./public/NotFound')),
    ],
  },
];

export const router = () => createBrowserRouter(routes);

/** Once the first page's code is here: until then `index.html` shows what it has. */
export function ready(opened: ReturnType<typeof router>): Promise<void> {
  return new Promise((done) => {
    if (opened.state.initialized) done();
    else opened.subscribe(({ initialized }) => initialized && done());
  });
}
