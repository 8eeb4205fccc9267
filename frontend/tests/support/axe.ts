import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from '@playwright/test';
import type Axe from 'axe-core';
import { expect, inTheme, themeOf } from './test.ts';

/** Axe for a page to run itself: its package for Playwright opens a second page for each report. */
const source = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The rows of a table are alike: the first ones stand for all, which take seconds where there are hundreds. */
const FURTHER_ROWS = 'tbody tr:nth-child(n + 11)';

/** Reports violations only: passes would be most of the result. */
const everything: Axe.RunOptions = { resultTypes: ['violations'] };
const contrast: Axe.RunOptions = { ...everything, runOnly: ['color-contrast'] };

/**
 * Examines what a page shows, or one region of it, in both themes. The other theme has the same elements in other colours:
 * there only the contrast is examined. The page stays in that one: to draw it in each takes as long as to examine it.
 */
export async function examine(page: Page, what: string, region?: string): Promise<void> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(source);
  const shown = await themeOf(page);
  const other = shown === 'light' ? 'dark' : 'light';
  expect(await violations(page, everything, region), `${what}, ${shown}`).toEqual([]);
  await inTheme(page, other);
  expect(await violations(page, contrast, region), `${what}, ${other}`).toEqual([]);
}

function violations(page: Page, options: Axe.RunOptions, region?: string): Promise<string[]> {
  return page.evaluate(
    async ([region, options, exclude]) => {
      // A theme is drawn once React has come to it. Colours that fade say nothing of contrast until they stay.
      const drawn = () =>
        new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done, { timeout: 1000 })));
      do await drawn();
      while (document.getAnimations().some((animation) => animation instanceof CSSTransition));
      await drawn();
      const { axe } = window as unknown as { axe: typeof Axe };
      const { violations } = await axe.run({ include: [region ?? 'html'], exclude: [exclude] }, options);
      return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
    },
    [region, options, FURTHER_ROWS] as const,
  );
}

/** Examines a page once it has loaded. */
export async function examineHere(page: Page, what: string, region?: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText(/^Loading/)).toHaveCount(0);
  await examine(page, what, region);
}
