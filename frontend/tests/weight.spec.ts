import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';
import { people } from './support/lab.ts';
import { expect, signedIn, test } from './support/test.ts';

/** Bytes of JavaScript, gzipped. */
const LANDING = 200 * 1024;
const SIGNED_IN = 450 * 1024;

/** Bytes of each script, gzipped: its name has a hash of its content. */
const known = new Map<string, Promise<number>>();

/** What a first visit to an address loads of JavaScript, gzipped, in bytes. */
async function weigh(page: Page, address: string, heading: string): Promise<number> {
  // Each visit is the first one.
  const browser = await page.context().newCDPSession(page);
  await browser.send('Network.enable');
  await browser.send('Network.setCacheDisabled', { cacheDisabled: true });
  const scripts = new Set<Promise<number>>();
  page.on('response', (response) => {
    if (response.request().resourceType() !== 'script') return;
    const bytes = known.get(response.url()) ?? response.body().then((script) => gzipSync(script).length);
    known.set(response.url(), bytes);
    scripts.add(bytes);
  });
  await page.goto(address);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
  await page.waitForLoadState('networkidle');
  return (await Promise.all(scripts)).reduce((sum, bytes) => sum + bytes, 0);
}

test('a first visit loads no more JavaScript than a phone takes in a moment', async ({
  page,
  lab,
  watched,
}) => {
  expect(await weigh(page, '/', 'Digital Twin Lab')).toBeLessThanOrEqual(LANDING);

  await signedIn(page, lab, people.admin);
  await page.goto('/profile');
  const addresses: [address: string, heading: string][] = [
    ['/dashboard', 'Dashboard'],
    ['/my-groups', 'My Groups'],
    ['/groups/1/manage-members', 'Manage Group Members'],
    ['/survey-builder', 'My Surveys'],
    ['/surveys/1', 'Everyday choices'],
    ['/simulation-history', 'Simulation History'],
    [await lab.responses(), 'Simulation Responses'],
    ['/transactions', 'Transactions'],
    ['/profile', 'Profile'],
    ['/settings', 'Settings'],
  ];
  // Side by side: each waits until nothing more comes.
  await Promise.all(
    addresses.map(async ([address, heading]) => {
      const tab = await page.context().newPage();
      watched(tab);
      expect(await weigh(tab, address, heading), address).toBeLessThanOrEqual(SIGNED_IN);
    }),
  );
});
