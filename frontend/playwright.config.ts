import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

/** Debian's browser; elsewhere Playwright's own, after `npx playwright install chromium`. */
const installed = [
  '/usr/bin/chromium-headless-shell',
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find(existsSync);
const executablePath = process.env.CHROMIUM ?? installed;

/** Specs whose servers have settings that no other spec has. */
const OWN_SERVERS = ['journey.spec.ts', 'batch.spec.ts'];

export default defineConfig({
  testDir: 'tests',
  // The journey and the batch have servers of their own, which ask a model that the test controls. They begin: at the end, the
  // other worker would stand idle as long as the journey takes, and in between each change of servers costs a start.
  projects: [
    { name: 'journey', testMatch: OWN_SERVERS },
    {
      name: 'rest',
      testIgnore: [
        ...OWN_SERVERS,
        // Measures how long the page stands still, which a busy machine would change: `make test-slow` runs it.
        ...(process.env.SMOOTH === undefined ? ['smooth.spec.ts'] : []),
      ],
    },
  ],
  // Each worker has a browser, a server and a database at work. Files run side by side, their tests in order.
  workers: 2,
  fullyParallel: false,
  forbidOnly: process.env.CI !== undefined,
  // Walks through every page of a role are the longest, on a busy machine several times as long as else.
  timeout: 600_000,
  // A test that fails once has failed. The machine may be busy with other tests: waits have long bounds, and no test is
  // about how long something takes.
  retries: 0,
  expect: { timeout: 60_000 },
  reporter: [['list']],
  use: {
    viewport: { width: 1440, height: 900 },
    colorScheme: 'light',
    actionTimeout: 60_000,
    // Recording costs a third of the processors' time.
    trace: process.env.TRACE === undefined ? 'off' : 'retain-on-failure',
    // Nothing moves away from under a click, and colours are seen as they stay.
    contextOptions: { reducedMotion: 'reduce' },
    launchOptions: { ...(executablePath !== undefined && { executablePath }) },
  },
});
