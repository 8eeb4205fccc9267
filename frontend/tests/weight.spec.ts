import { gzipSync } from 'node:zlib';
import type { Page, Response } from '@playwright/test';
import { people } from './support/lab.ts';
import { expect, signedIn, test } from './support/test.ts';

/** Bytes of JavaScript, gzipped. */
const LANDING = 200 * 1024;
const SIGNED_IN = 450 * 1024;

/** What a first visit to an address loads of JavaScript, gzipped, in bytes. */
async function weigh(page: Page, address: string, heading: string): Promise<number> {
  const scripts: Promise<Buffer>[] = [];
  const keep = (response: Response) => {
    if (response.request().resourceType() === 'script') scripts.push(response.body());
  };
  page.on('response', keep);
  await page.goto(address);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
  await page.waitForLoadState('networkidle');
  page.off('response', keep);
  return (await Promise.all(scripts)).reduce((bytes, script) => bytes + gzipSync(script).length, 0);
}

test('a first visit loads no more JavaScript than a phone takes in a moment', async ({ page, lab }) => {
  // Each visit is the first one.
  const browser = await page.context().newCDPSession(page);
  await browser.send('Network.enable');
  await browser.send('Network.setCacheDisabled', { cacheDisabled: true });
  expect(await weigh(page, '/', 'Digital Twin Lab')).toBeLessThanOrEqual(LANDING);

  await signedIn(page, lab, people.admin);
  for (const [address, heading] of [
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
  ] as const) {
    expect(await weigh(page, address, heading), address).toBeLessThanOrEqual(SIGNED_IN);
  }
});
