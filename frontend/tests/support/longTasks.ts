import type { Page } from '@playwright/test';

/** Times in ms of the tasks over 50 ms that kept the page's thread busy while something was done. */
export async function longTasks(page: Page, act: () => Promise<void>): Promise<number[]> {
  await idle(page);
  await page.evaluate(() => {
    const durations: number[] = [];
    const observer = new PerformanceObserver((list) => {
      durations.push(...list.getEntries().map(({ duration }) => Math.round(duration)));
    });
    observer.observe({ type: 'longtask' });
    Object.assign(window, { longTasks: { durations, observer } });
  });
  await act();
  await idle(page);
  return page.evaluate(() => {
    const { durations, observer } = (
      window as unknown as { longTasks: { durations: number[]; observer: PerformanceObserver } }
    ).longTasks;
    durations.push(...observer.takeRecords().map(({ duration }) => Math.round(duration)));
    observer.disconnect();
    return durations;
  });
}

/** Waits until the page is idle and drawn. It waits twice, because a timer may start more work. */
export async function idle(page: Page): Promise<void> {
  await page.evaluate(async () => {
    for (let turn = 0; turn < 3; turn++) {
      await new Promise((drawn) => requestAnimationFrame(() => requestIdleCallback(drawn)));
    }
  });
}
