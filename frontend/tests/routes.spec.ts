import { people, type Lab } from './support/lab.ts';
import { expect, signedIn, test } from './support/test.ts';

type Route = [address: string, heading: string, goes: Record<keyof typeof people, string | null>];

const everyone = { super_admin: null, admin: null, user: null };

/** Where each role ends up that opens an address; `null`: there. */
const routes: Route[] = [
  ['/dashboard', 'Dashboard', everyone],
  ['/groups', 'Research Groups', { super_admin: null, admin: '/my-groups', user: '/my-groups' }],
  ['/groups/1/manage-members', 'Manage Group Members', everyone],
  ['/admin', 'Administration', { super_admin: null, admin: '/my-groups', user: '/my-groups' }],
  ['/profile', 'Profile', everyone],
  ['/settings', 'Settings', everyone],
  ['/simulation-history', 'Simulation History', everyone],
  ['/survey-builder', 'My Surveys', { super_admin: '/groups', admin: null, user: null }],
  ['/my-groups', 'My Groups', everyone],
  ['/transactions', 'Transactions', everyone],
  ['/planner', 'Planner', everyone],
  ['/validation', 'Validation', everyone],
  ['/surveys/1/plans', 'Plans', everyone],
  ['/surveys/1', 'Everyday choices', { super_admin: '/groups', admin: null, user: null }],
];

/** With the answers of a run, whose address only the server knows. */
const all = async (lab: Lab): Promise<Route[]> => [
  ...routes,
  [await lab.responses(), 'Simulation Responses', everyone],
];

for (const role of ['super_admin', 'admin', 'user'] as const) {
  test(`every address leads a ${role} where they belong, and scrolls sideways on no phone`, async ({
    page,
    lab,
  }) => {
    await signedIn(page, lab, people[role]);
    for (const [address, heading, goes] of await all(lab)) {
      await page.setViewportSize({ width: 1440, height: 900 });
      await page.goto(address);
      await expect(page, address).toHaveURL(goes[role] ?? address);
      if (goes[role] !== null) continue;
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
      await expect(page.getByText(/^Loading/)).toHaveCount(0);
      await page.setViewportSize({ width: 360, height: 740 });
      const width = () => page.evaluate(() => document.documentElement.scrollWidth);
      await expect.poll(width, address).toBeLessThanOrEqual(360);
    }
  });

  test(`the menu of a ${role} has what they may do`, async ({ page, lab }) => {
    await signedIn(page, lab, people[role]);
    await page.goto('/profile');
    const own = role === 'super_admin' ? ['Groups'] : ['My Groups', 'Survey Builder'];
    const items = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    await expect(items).toHaveText(['Dashboard', ...own, 'Simulation History', 'Transactions']);
  });
}

test('visitors of any signed-in address are sent to sign in', async ({ page, lab }) => {
  for (const [address] of await all(lab)) {
    await page.goto(address);
    await expect(page, address).toHaveURL(`/login?next=${encodeURIComponent(address)}`);
  }
});
