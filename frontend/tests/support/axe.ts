import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, inTheme } from './test.ts';

/**
 * Examines what a page shows, or one region of it, in both themes. The dark theme has the same elements in other colours:
 * there only the contrast is examined.
 */
export async function examine(page: Page, what: string, region?: string): Promise<void> {
  const axe = () =>
    region === undefined ? new AxeBuilder({ page }) : new AxeBuilder({ page }).include(region);
  await find(page, axe(), what);
  await inTheme(page, 'dark');
  await find(page, axe().withRules('color-contrast'), `${what}, dark`);
  await inTheme(page, 'light');
}

async function find(page: Page, axe: AxeBuilder, what: string): Promise<void> {
  // Colours fade from one theme to the other: in between, their contrast says nothing.
  await page.waitForFunction(() =>
    document.getAnimations().every((animation) => !(animation instanceof CSSTransition)),
  );
  const { violations } = await axe.analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  expect(found, what).toEqual([]);
}
