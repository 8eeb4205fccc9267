import type { Page } from '@playwright/test';
import { examineHere } from './support/axe.ts';
import { people, type Lab } from './support/lab.ts';
import { expect, signedIn, test, visit } from './support/test.ts';
import { LANDING_BYTES, SIGNED_IN_BYTES, weigh } from './support/weight.ts';

type Role = keyof typeof people;

interface SignedInPage {
  address: string;
  heading: string;
  /** Address to which a role is redirected. Other roles stay. */
  elsewhere?: Partial<Record<Role, string>>;
  /** Roles that see different things on the page and as which it is examined. Empty if it is examined elsewhere. */
  examined: Role[];
}

const publicPages = [
  ['/', 'Digital Twin Lab'],
  ['/about', 'About'],
  ['/collaboration', 'Collaboration'],
  ['/evidence', 'How far to trust the answers of twins'],
  ['/get-started', 'Get Started'],
  ['/terms', 'Terms'],
  ['/privacy', 'Privacy'],
  ['/login', 'Sign In'],
  ['/no/such/page', 'Page Not Found'],
] as const;

const forSuperAdmins = { admin: '/my-groups', user: '/my-groups' };
const forResearchers = { super_admin: '/groups' };

const signedInPages: SignedInPage[] = [
  { address: '/dashboard', heading: 'Dashboard', examined: ['super_admin', 'admin', 'user'] },
  {
    address: '/groups',
    heading: 'Research Groups',
    elsewhere: forSuperAdmins,
    examined: ['super_admin'],
  },
  {
    address: '/groups/1/manage-members',
    heading: 'Manage Group Members',
    examined: ['super_admin', 'admin'],
  },
  { address: '/admin', heading: 'Administration', elsewhere: forSuperAdmins, examined: ['super_admin'] },
  { address: '/profile', heading: 'Profile', examined: ['user'] },
  { address: '/settings', heading: 'Settings', examined: ['user'] },
  {
    address: '/simulation-history',
    heading: 'Simulation History',
    examined: ['super_admin', 'user'],
  },
  {
    address: '/survey-builder',
    heading: 'My Surveys',
    elsewhere: forResearchers,
    examined: ['user'],
  },
  { address: '/my-groups', heading: 'My Groups', examined: ['admin', 'user'] },
  { address: '/transactions', heading: 'Transactions', examined: ['super_admin', 'admin'] },
  { address: '/planner', heading: 'Planner', examined: ['user'] },
  { address: '/validation', heading: 'Validation', examined: ['user'] },
  { address: '/surveys/1/plans', heading: 'Plans', examined: ['user'] },
  { address: '/surveys/1', heading: 'Everyday choices', elsewhere: forResearchers, examined: ['user'] },
];

/** All pages, with those of a run whose address only the server knows. */
const all = async (lab: Lab): Promise<SignedInPage[]> => [
  ...signedInPages,
  { address: await lab.responses(), heading: 'Simulation Responses', examined: [] },
];

test('every public page is at its address, writes to the server’s contact, and fits a narrow phone', async ({
  page,
}) => {
  for (const [address, title] of publicPages) {
    await visit(page, address);
    await expect(page).toHaveTitle(new RegExp(title));
    await examineHere(page, address);
    for (const link of await page.locator('a[href^="mailto:"]').all()) {
      expect(await link.getAttribute('href')).toMatch(/^mailto:lab@university\.example/);
    }
    await fitsAPhone(page, address);
    if (address === '/') expect(await weigh(page)).toBeLessThanOrEqual(LANDING_BYTES);
  }
});

for (const role of ['super_admin', 'admin', 'user'] as const) {
  test(`every address leads a ${role} where they belong, and fits a narrow phone`, async ({ page, lab }) => {
    await signedIn(page, lab, people[role]);
    for (const { address, heading, elsewhere, examined } of await all(lab)) {
      // Owners type each address, and load what a first visit does; the others come from the page before.
      await (role === 'admin' ? page.goto(address) : visit(page, address));
      await expect(page, address).toHaveURL(elsewhere?.[role] ?? address);
      if (elsewhere?.[role] !== undefined) continue;
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
      if (role === 'admin') expect(await weigh(page), address).toBeLessThanOrEqual(SIGNED_IN_BYTES);
      if (examined.length > 0 && !examined.includes(role)) continue;
      if (examined.length > 0) await examineHere(page, address);
      await fitsAPhone(page, address);
    }
    const own = role === 'super_admin' ? ['Groups'] : ['My Groups', 'Survey Builder'];
    const items = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    await expect(items).toHaveText(['Dashboard', ...own, 'Simulation History', 'Transactions']);
  });
}

test('visitors of any signed-in address are sent to sign in', async ({ page, lab }) => {
  for (const { address } of await all(lab)) {
    await page.goto(address);
    await expect(page, address).toHaveURL(`/login?next=${encodeURIComponent(address)}`);
  }
});

/** Nothing scrolls sideways there. The window is wide again afterwards. */
async function fitsAPhone(page: Page, address: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText(/^Loading/)).toHaveCount(0);
  await page.setViewportSize({ width: 360, height: 740 });
  const width = () => page.evaluate(() => document.documentElement.scrollWidth);
  await expect.poll(width, address).toBeLessThanOrEqual(360);
  await page.setViewportSize({ width: 1440, height: 900 });
}
