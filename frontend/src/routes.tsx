import type { ComponentType } from 'react';
import { createBrowserRouter, Outlet, type RouteObject } from 'react-router';
import { paths } from './paths';
import { Only } from './ui/Only';
import { RouteError } from './ui/RouteError';
import { Toasts } from './ui/Toasts';

type Load = () => Promise<{ default: ComponentType }>;

/** A page of its own chunk, loaded when first visited. */
const page = (path: string, load: Load): RouteObject => ({
  path,
  lazy: async () => ({ Component: (await load()).default }),
});

/** A page with antd's fields: those, and what gives them our colours, are loaded with the first of these pages. */
const antdPage = (path: string, load: Load): RouteObject => ({
  lazy: async () => ({ Component: (await import('./ui/antd/AntdPage')).default }),
  children: [page(path, load)],
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
  page(paths.landing, () => import('./features/pages/Landing')),
  page(paths.getStarted, () => import('./features/pages/GetStarted')),
  page(paths.about, () => import('./features/pages/About')),
  page(paths.collaboration, () => import('./features/pages/Collaboration')),
  page(paths.terms, () => import('./features/pages/Terms')),
  page(paths.privacy, () => import('./features/pages/Privacy')),
  page(paths.login, () => import('./features/accounts/Login')),
];

const signedInPages: RouteObject[] = [
  page(paths.dashboard, () => import('./features/dashboard/Dashboard')),
  page(paths.myGroups, () => import('./features/groups/MyGroups')),
  antdPage('/groups/:groupId/manage-members', () => import('./features/groups/ManageMembers')),
  antdPage(paths.profile, () => import('./features/accounts/Profile')),
  page(paths.settings, () => import('./features/accounts/SettingsPage')),
  page(paths.transactions, () => import('./features/transactions/Transactions')),
  page(paths.simulationHistory, () => import('./features/simulations/SimulationHistory')),
  page('/simulation-responses/:surveyId/:simulationId', () => import('./features/results/Responses')),
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
    element: (
      <>
        <Outlet />
        <Toasts />
      </>
    ),
    errorElement: <RouteError />,
    HydrateFallback: () => null,
    children: [
      ...publicPages,
      {
        lazy: async () => ({ Component: (await import('./features/shell/AppLayout')).default }),
        children: signedInPages,
      },
      page('*', () => import('./features/pages/NotFound')),
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
