import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { people } from './support/lab.ts';
import { expect, signedIn, test } from './support/test.ts';

const open = [
  '/',
  '/about',
  '/collaboration',
  '/get-started',
  '/terms',
  '/privacy',
  '/login',
  '/no/such/page',
];
const shared = [
  '/dashboard',
  '/groups/1/manage-members',
  '/profile',
  '/settings',
  '/simulation-history',
  '/my-groups',
  '/transactions',
];
const addresses = {
  super_admin: [...shared, '/groups', '/admin'],
  admin: [...shared, '/survey-builder', '/surveys/1'],
  user: [...shared, '/survey-builder', '/surveys/1'],
} as const;

for (const colorScheme of ['light', 'dark'] as const) {
  test.describe(`in the ${colorScheme} theme`, () => {
    // Axe must see colours as they stay, not as they fade in.
    test.use({ colorScheme, contextOptions: { reducedMotion: 'reduce' } });

    test('axe finds nothing on the public pages', async ({ page }) => {
      for (const address of open) await examine(page, address);
    });

    for (const role of ['super_admin', 'admin', 'user'] as const) {
      test(`axe finds nothing on the pages of a ${role}`, async ({ page, lab }) => {
        await signedIn(page, lab, people[role]);
        if (role === 'super_admin') await examineTabs(page, '/admin', ['Personas', 'Queue and Workers']);
        for (const address of addresses[role]) await examine(page, address);
        await examineTabs(page, await lab.responses(), [
          'List View',
          'Survey Questions',
          'Charts',
          'Matrix View',
        ]);
      });
    }

    test('axe finds nothing where all answers of a twin are read', async ({ page, lab }) => {
      await signedIn(page, lab, people.user);
      await page.goto(await lab.responses());
      await page.getByRole('row').nth(1).getByRole('button').click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await examineHere(page, 'the answers of a twin');
    });
  });
}

async function examine(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await examineHere(page, address);
}

/** What stands behind each tab of a page. */
async function examineTabs(page: Page, address: string, tabs: string[]): Promise<void> {
  await page.goto(address);
  for (const name of tabs) {
    await page.getByRole('tab', { name }).click();
    await examineHere(page, `${address} ${name}`);
  }
}

async function examineHere(page: Page, what: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText(/^Loading/)).toHaveCount(0);
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  expect(found, what).toEqual([]);
}
