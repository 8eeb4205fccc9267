import type { ComponentType } from 'react';
import { createBrowserRouter, Outlet, type RouteObject } from 'react-router';
import { paths } from './paths';
import { Only } from './shell/guards';
import { RouteError } from './shell/RouteError';

type Load = () => Promise<{ default: ComponentType }>;

/** A public page: a chunk of its own, loaded when first visited. */
const page = (path: string, load: Load): RouteObject => ({
  path,
  lazy: async () => ({ Component: (await load()).default }),
});

type SignedIn = typeof import('./signedIn');

/** A part of the signed-in pages, which are one chunk. */
const part = (name: keyof SignedIn) => async () => ({ Component: (await import('./signedIn'))[name] });

const signedInPage = (path: string, name: keyof SignedIn): RouteObject => ({ path, lazy: part(name) });

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
  page(paths.login, () => import('./features/pages/Login')),
];

const signedInPages: RouteObject[] = [
  signedInPage(paths.dashboard, 'Dashboard'),
  signedInPage(paths.myGroups, 'MyGroups'),
  signedInPage('/groups/:groupId/manage-members', 'ManageMembers'),
  signedInPage(paths.profile, 'Profile'),
  signedInPage(paths.settings, 'SettingsPage'),
  signedInPage(paths.transactions, 'Transactions'),
  signedInPage(paths.simulationHistory, 'SimulationHistory'),
  signedInPage('/simulation-responses/:surveyId/:simulationId', 'Responses'),
  forSuperAdmins(paths.myGroups, [signedInPage(paths.groups, 'Groups'), signedInPage(paths.admin, 'Admin')]),
  forResearchers(paths.groups, [
    signedInPage(paths.surveyBuilder, 'SurveyBuilder'),
    signedInPage('/surveys/:surveyId', 'QuestionsEditor'),
  ]),
];

export const routes: RouteObject[] = [
  {
    errorElement: <RouteError />,
    HydrateFallback: () => null,
    children: [
      ...publicPages,
      {
        lazy: part('AppLayout'),
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
