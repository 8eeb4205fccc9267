import { people } from './support/lab.ts';
import { expect, signedIn, test } from './support/test.ts';

/** Where each role ends up that opens an address; `null`: there. */
const routes: [address: string, heading: string, goes: Record<keyof typeof people, string | null>][] = [
  ['/dashboard', 'Dashboard', { super_admin: null, admin: null, user: null }],
  ['/groups', 'Research Groups', { super_admin: null, admin: '/my-groups', user: '/my-groups' }],
  ['/groups/1/manage-members', 'Manage Group Members', { super_admin: null, admin: null, user: null }],
  ['/admin', 'Administration', { super_admin: null, admin: '/my-groups', user: '/my-groups' }],
  ['/profile', 'Profile', { super_admin: null, admin: null, user: null }],
  ['/settings', 'Settings', { super_admin: null, admin: null, user: null }],
  ['/simulation-history', 'Simulation History', { super_admin: null, admin: null, user: null }],
  ['/survey-builder', 'My Surveys', { super_admin: '/groups', admin: null, user: null }],
  ['/my-groups', 'My Groups', { super_admin: null, admin: null, user: null }],
  ['/transactions', 'Transactions', { super_admin: null, admin: null, user: null }],
  ['/surveys/1', 'Everyday choices', { super_admin: '/groups', admin: null, user: null }],
];

for (const role of ['super_admin', 'admin', 'user'] as const) {
  test(`every address leads a ${role} where they belong`, async ({ page, lab }) => {
    await signedIn(page, lab, people[role]);
    for (const [address, heading, goes] of routes) {
      await page.goto(address);
      await expect(page, address).toHaveURL(goes[role] ?? address);
      if (goes[role] === null) await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
    }
  });

  test(`the menu of a ${role} has what they may do`, async ({ page, lab }) => {
    await signedIn(page, lab, people[role]);
    await page.goto('/profile');
    const own = role === 'super_admin' ? ['Groups'] : ['My Groups', 'Survey Builder'];
    const items = page.getByRole('navigation', { name: 'Main' }).getByRole('link');
    await expect(items).toHaveText([...own, 'Simulation History', 'Transactions']);
  });

  test(`no page of a ${role} scrolls sideways on a phone`, async ({ page, lab }) => {
    await page.setViewportSize({ width: 390, height: 800 });
    await signedIn(page, lab, people[role]);
    for (const [address, heading, goes] of routes) {
      if (goes[role] !== null) continue;
      await page.goto(address);
      await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
      await expect(page.getByText('Loading...')).toHaveCount(0);
      expect(await page.evaluate(() => document.documentElement.scrollWidth), address).toBeLessThanOrEqual(
        390,
      );
    }
  });
}

test('visitors of any signed-in address are sent to sign in', async ({ page }) => {
  for (const [address] of routes) {
    await page.goto(address);
    await expect(page, address).toHaveURL('/login');
  }
});
