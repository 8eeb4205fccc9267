import { gzipSync } from 'node:zlib';
import type { Page } from '@playwright/test';

/** Maximum JavaScript of a first visit, gzipped, in bytes. */
export const LANDING_BYTES = 200 * 1024;
export const SIGNED_IN_BYTES = 450 * 1024;

/** Bytes of each script, gzipped: its name has a hash of its content. */
const known = new Map<string, Promise<number>>();

/** JavaScript that a page has loaded since its address was opened, gzipped, in bytes, including the cache. */
export async function weigh(page: Page): Promise<number> {
  await page.waitForLoadState('networkidle');
  const loaded = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name));
  const scripts = new Set(loaded.filter((url) => url.endsWith('.js')));
  if (scripts.size === 0) throw new Error(`${page.url()} has loaded no script`);
  const sizes = await Promise.all([...scripts].map((url) => known.get(url) ?? measure(page, url)));
  return sizes.reduce((sum, bytes) => sum + bytes, 0);
}

function measure(page: Page, url: string): Promise<number> {
  const size = page.request.get(url).then(async (script) => gzipSync(await script.body()).length);
  known.set(url, size);
  return size;
}
