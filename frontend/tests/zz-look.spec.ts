import { examine } from './support/axe.ts';
import { USER } from './support/lab.ts';
import { run } from './support/surveys.ts';
import { signedIn, test } from './support/test.ts';

test('look', async ({ page, lab }) => {
  test.setTimeout(120_000);
  const [group] = (await lab.call(USER, 'GET', '/api/groups/my')) as [{ id: number }];
  const { id } = (await lab.call(USER, 'POST', '/api/surveys', { title: 'Fees', groupId: group.id })) as { id: number };
  for (const question of [
    { text: 'How fair is it?', name: 'fair', type: 'RANGE', min_value: 1, max_value: 7 },
    { text: 'Would you pay it?', name: 'pay', type: 'BOOLEAN' },
  ])
    await lab.call(USER, 'POST', `/api/surveys/${id}/questions`, question);
  const simulation = await run(lab, USER, id, { personaCount: 60, seed: 7 });
  const rows = Array.from({ length: 60 }, (_, n) => `${n},${1 + (n % 7)},No,never,x@test.example,${n % 2 ? 'a' : 'b'}`);
  const csv = ['pid,Fair,pay,paid,email,grp', ...rows].join('\n');
  await signedIn(page, lab, USER);
  await page.goto(`/simulation-responses/${id}/${simulation}?tab=people`);
  await page.getByRole('checkbox', { name: 'Keep for this survey' }).waitFor();
  for (const theme of ['light', 'dark'])
    for (const width of [1440, 390]) {
      await page.evaluate((name) => localStorage.setItem('theme', name), theme);
      await page.setViewportSize({ width, height: 900 });
      await page.reload();
      await page.getByRole('checkbox', { name: 'Keep for this survey' }).waitFor();
      await page.screenshot({ path: `/tmp/look/empty-${theme}-${width}.png`, fullPage: true });
    }
  await page.locator('input[type=file]').setInputFiles({ name: 'panel-may-2026.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) });
  await page.getByRole('button', { name: 'Compare' }).click();
  await page.getByRole('status').filter({ hasText: '60 people' }).waitFor();
  for (const theme of ['light', 'dark'])
    for (const width of [1440, 390]) {
      await page.evaluate((name) => localStorage.setItem('theme', name), theme);
      await page.setViewportSize({ width, height: 900 });
      await page.reload();
      await page.getByRole('status').filter({ hasText: '60 people' }).waitFor();
      await page.screenshot({ path: `/tmp/look/kept-${theme}-${width}.png` });
      await page.getByRole('button', { name: /How the file was read/ }).click();
      await page.getByRole('button', { name: 'Arm, weights and groups' }).click();
      await page.getByRole('button', { name: 'Compare with another file' }).click();
      await page.waitForTimeout(500);
      await page.screenshot({ path: `/tmp/look/open-${theme}-${width}.png`, fullPage: true });
      await examine(page, `${theme} ${width}`);
    }
  await page.goto('/privacy');
  await page.screenshot({ path: '/tmp/look/privacy.png', fullPage: true });
});
