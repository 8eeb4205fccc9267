import { existsSync } from 'node:fs';
import { defineConfig } from '@playwright/test';

/** Debian's browser; elsewhere Playwright's own, after `npx playwright install chromium`. */
const installed = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(
  existsSync,
);
const executablePath = process.env.CHROMIUM ?? installed;

export default defineConfig({
  testDir: 'tests',
  // One after the other: each has a browser, a server, a database and a model server at work.
  workers: 1,
  fullyParallel: false,
  forbidOnly: process.env.CI !== undefined,
  // Nothing waits longer than it must; a busy machine may take its time.
  timeout: 600_000,
  expect: { timeout: 60_000 },
  reporter: [['list']],
  use: {
    viewport: { width: 1440, height: 900 },
    colorScheme: 'light',
    actionTimeout: 60_000,
    trace: 'retain-on-failure',
    launchOptions: { ...(executablePath !== undefined && { executablePath }) },
  },
});
