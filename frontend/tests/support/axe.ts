import type { Page } from '@playwright/test';
import axe, { type RunOptions } from 'axe-core';
import { expect, inTheme } from './test.ts';

/** What is right is not collected: it is most of the page. */
const everything: RunOptions = { resultTypes: ['violations'] };
const contrast: RunOptions = { ...everything, runOnly: ['color-contrast'] };

/**
 * Examines what a page shows, or one region of it, in both themes. The dark theme has the same elements in other colours:
 * there only the contrast is examined.
 */
export async function examine(page: Page, what: string, region?: string): Promise<void> {
  expect(await violations(page, everything, region), what).toEqual([]);
  await inTheme(page, 'dark');
  expect(await violations(page, contrast, region), `${what}, dark`).toEqual([]);
  await inTheme(page, 'light');
}

async function violations(page: Page, options: RunOptions, region?: string): Promise<string[]> {
  // Colours fade from one theme to the other: in between, their contrast says nothing.
  await page.waitForFunction(() =>
    document.getAnimations().every((animation) => !(animation instanceof CSSTransition)),
  );
  if (await page.evaluate(() => !('axe' in window))) await page.evaluate(axe.source);
  return page.evaluate(
    async ([region, options]) => {
      const { violations } = await window.axe.run(region ?? document, options);
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    },
    [region, options] as const,
  );
}

declare global {
  interface Window {
    axe: typeof axe;
  }
}
