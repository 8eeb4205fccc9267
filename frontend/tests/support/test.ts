import { test as base, expect, type Page } from '@playwright/test';
import { Lab } from './lab.ts';
import { Model } from './model.ts';

export type Theme = 'light' | 'dark';

interface Worker {
  /** Whether the lab asks a model server that the test controls, instead of the built-in demo model. */
  gated: boolean;
  /** Prices of the lab's models, in the form of `LLM_PRICES`. */
  prices: object | undefined;
  model: Model | null;
  lab: Lab;
}

interface Each {
  /** Console messages that a test brings about on purpose. Everything else that a page complains of fails the test. */
  complaints: RegExp[];
  watched: (page: Page) => void;
  /** A window of somebody's own, who is signed in and home. */
  visitAs: (email: string) => Promise<Page>;
}

export const test = base.extend<Each, Worker>({
  gated: [false, { scope: 'worker', option: true }],
  prices: [undefined, { scope: 'worker', option: true }],
  model: [
    async ({ gated }, provide) => {
      const model = gated ? await Model.start() : null;
      await provide(model);
      await model?.stop();
    },
    { scope: 'worker' },
  ],
  lab: [
    async ({ model, prices }, provide) => {
      const lab = await Lab.start(
        model === null
          ? {}
          : {
              OPENAI_BASE_URL: model.url,
              LLM_MODEL: 'twinlab-demo',
              // Without limits of its own, the workspace's first run would wait a minute for the usual ones.
              LLM_RPM: '100000',
              LLM_TPM: '1000000000',
              LLM_MAX_ATTEMPTS: '1',
            },
        prices,
      );
      await provide(lab);
      await lab.stop();
    },
    { scope: 'worker', timeout: 300_000 },
  ],
  baseURL: async ({ lab }, provide) => provide(lab.url),
  complaints: [[], { option: true }],
  watched: [
    async ({ page, complaints }, provide) => {
      const heard: string[] = [];
      const watch = (page: Page) => {
        page.on('console', (message) => {
          if (message.type() === 'error' || message.type() === 'warning') heard.push(message.text());
        });
        page.on('pageerror', (error) => heard.push(String(error)));
      };
      watch(page);
      await provide(watch);
      const unexpected = heard.filter((text) => !complaints.some((expected) => expected.test(text)));
      expect(unexpected, 'what the pages complained of').toEqual([]);
    },
    { auto: true },
  ],
  visitAs: async ({ browser, contextOptions, baseURL, viewport, lab, watched }, provide) => {
    const opened: Page[] = [];
    await provide(async (email) => {
      const context = await browser.newContext({ ...contextOptions, baseURL: baseURL ?? '', viewport });
      const page = await context.newPage();
      opened.push(page);
      watched(page);
      // Codes are few: who has signed in once comes back with that session.
      if (lab.knows(email)) {
        await signedIn(page, lab, email);
        await page.goto('/my-groups');
      } else {
        await signInThere(page, lab, email);
        lab.keep(email, await page.evaluate(() => localStorage.getItem('token') ?? ''));
      }
      await expect(page).toHaveURL(/\/(my-groups|groups)$/);
      return page;
    });
    for (const page of opened) await page.context().close();
  },
});

/** Signs in as people do, and waits until they are home. */
export async function signInThere(page: Page, lab: Lab, email: string): Promise<void> {
  const before = (await lab.codes(email)).length;
  await page.goto('/login');
  await page.getByLabel('Email').fill(email);
  await page.getByRole('button', { name: 'Send Verification Code' }).click();
  await page.getByLabel('Verification code').fill(await lab.code(email, before));
  await expect(page).toHaveURL(/\/(my-groups|groups)$/);
}

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

/**
 * Shows a page. Where the app is open already it goes on there, as a link does: to load its code anew takes most of a
 * second of the processor's time. Waits until a page at another path has come; at the same path the caller does.
 */
export async function visit(page: Page, address: string): Promise<void> {
  if (page.url() === 'about:blank') {
    await page.goto(address);
    return;
  }
  await page.evaluate(async (to) => {
    const left = document.querySelector('h1');
    const samePath = new URL(to, location.href).pathname === location.pathname;
    const { idx } = history.state as { idx: number };
    const state = { idx: idx + 1, key: to };
    history.pushState(state, '', to);
    // The router listens to the browser's own buttons.
    dispatchEvent(new PopStateEvent('popstate', { state }));
    while (!samePath && left?.isConnected) await new Promise(requestAnimationFrame);
  }, address);
}

/** The theme that a page is shown in. */
export async function themeOf(page: Page): Promise<Theme> {
  return (await page.locator('html').getAttribute('data-theme')) === 'dark' ? 'dark' : 'light';
}

/** Shows a page in a theme, as it does when another tab has chosen that. */
export async function inTheme(page: Page, theme: Theme): Promise<void> {
  await page.evaluate((chosen) => {
    localStorage.setItem('theme', chosen);
    window.dispatchEvent(new StorageEvent('storage', { key: 'theme' }));
    // Pages without a header look at the choice only as they open.
    document.documentElement.dataset.theme = chosen;
  }, theme);
  await expect(page.locator('html')).toHaveAttribute('data-theme', theme);
}

export { expect };
