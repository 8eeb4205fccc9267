import type { Page } from '@playwright/test';
import { USER } from './support/lab.ts';
import { expect, signedIn, test, visit } from './support/test.ts';

// Playwright hides scroll bars, which then take no room.
test.use({
  launchOptions: [
    async ({ launchOptions }, provide) =>
      provide({ ...launchOptions, ignoreDefaultArgs: ['--hide-scrollbars'] }),
    { scope: 'worker' },
  ],
});

const isScrollable = (page: Page) => page.evaluate(() => document.body.scrollHeight > innerHeight);
const placeOfMenu = (page: Page) =>
  page.evaluate(() => document.querySelector('.navigation-bar')?.getBoundingClientRect().toJSON() as DOMRect);

test('the page keeps its place when a scroll bar appears and when a dialog hides it', async ({
  page,
  lab,
}) => {
  await signedIn(page, lab, USER);
  await visit(page, '/survey-builder');
  await page.setViewportSize({ width: 1440, height: 2000 });
  expect(await isScrollable(page)).toBe(false);
  const { x, width } = await placeOfMenu(page);
  await page.setViewportSize({ width: 1440, height: 300 });
  expect(await isScrollable(page)).toBe(true);
  expect(await placeOfMenu(page)).toMatchObject({ x, width });
  await page.getByRole('button', { name: 'Create Survey' }).click();
  await expect(page.getByRole('dialog')).toBeVisible();
  expect(await placeOfMenu(page)).toMatchObject({ x, width });
});

test('a toast leaves the menu free', async ({ page, lab }) => {
  await signedIn(page, lab, USER);
  await visit(page, '/simulation-history');
  const toast = page.locator('.ant-message-notice').filter({ hasText: /^Loaded / });
  await expect(toast).toBeVisible();
  const menu = await placeOfMenu(page);
  expect((await toast.boundingBox())?.y).toBeGreaterThanOrEqual(menu.y + menu.height);
});
