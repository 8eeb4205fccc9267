import type { Locator } from '@playwright/test';
import { expect } from './test.ts';

/** Expects each bar of a chart to be as long as its share says, across or along. */
export async function expectBarsAsLongAsTheirShares(chart: Locator): Promise<void> {
  const bars = await chart.locator('.drawing g:has(> rect.grows)').evaluateAll((all) =>
    all.map((bar) => {
      const { width, height } = bar.querySelector('rect')?.getBoundingClientRect() ?? { width: 0, height: 0 };
      return {
        width,
        height,
        percent: Number(/([\d.]+) %/.exec(bar.querySelector('title')?.textContent ?? '')?.[1]),
      };
    }),
  );
  const seen = bars.filter(({ percent }) => percent > 0);
  expect(seen.length).toBeGreaterThan(1);
  const spread = (lengths: number[]) => Math.max(...lengths) / Math.min(...lengths);
  const along = spread(seen.map(({ width, percent }) => width / percent));
  const upright = spread(seen.map(({ height, percent }) => height / percent));
  expect(Math.min(along, upright)).toBeLessThan(1.1);
}
