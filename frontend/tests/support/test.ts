import { test as base, expect, type Page } from '@playwright/test';
import { Lab } from './lab.ts';

interface Worker {
  lab: Lab;
}

interface Each {
  /** Console messages that a test brings about on purpose. Everything else that a page complains of fails the test. */
  complaints: RegExp[];
  quiet: undefined;
}

export const test = base.extend<Each, Worker>({
  lab: [
    // eslint-disable-next-line no-empty-pattern -- Playwright reads the names of the fixtures from this pattern
    async ({}, provide) => {
      const lab = await Lab.start();
      await provide(lab);
      await lab.stop();
    },
    { scope: 'worker', timeout: 120_000 },
  ],
  baseURL: async ({ lab }, provide) => provide(lab.url),
  complaints: [[], { option: true }],
  quiet: [
    async ({ page, complaints }, provide) => {
      const heard: string[] = [];
      page.on('console', (message) => {
        if (message.type() === 'error' || message.type() === 'warning') heard.push(message.text());
      });
      page.on('pageerror', (error) => heard.push(String(error)));
      await provide(undefined);
      const unexpected = heard.filter((text) => !complaints.some((expected) => expected.test(text)));
      expect(unexpected, 'what the page complained of').toEqual([]);
    },
    { auto: true },
  ],
});

/** Signs in without the pages, before the first one is opened. */
export async function signedIn(page: Page, lab: Lab, email: string): Promise<void> {
  const token = await lab.token(email);
  await page.addInitScript((kept) => {
    // Only once: a page that removes the token must find it gone.
    if (sessionStorage.getItem('signed-in') !== null) return;
    sessionStorage.setItem('signed-in', 'yes');
    localStorage.setItem('token', kept);
  }, token);
}

export { expect };
