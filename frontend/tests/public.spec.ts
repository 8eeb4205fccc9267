import { expect, test } from './support/test.ts';
import { SUPER_ADMIN } from './support/lab.ts';

test('the Privacy page names all that is collected', async ({ page }) => {
  await page.goto('/privacy');
  for (const kept of ['your name and photo', 'your institution, purpose and description']) {
    await expect(page.getByRole('listitem').filter({ hasText: kept })).toBeVisible();
  }
});

test.describe('on a dark system', () => {
  test.use({ colorScheme: 'dark' });

  test('the first visit is light', async ({ page }) => {
    await page.goto('/');
    await expect(page.locator('html')).toHaveAttribute('data-theme', 'light');
  });
});

test('the carousel turns by itself and by its dots', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  // The clock stands still until the page is looked at, however long it takes to come.
  await page.clock.install({ time: new Date('2026-01-01T09:00:00Z') });
  await page.clock.pauseAt(new Date('2026-01-01T09:01:00Z'));
  await page.goto('/');
  const dots = page.getByRole('region', { name: 'Benefits' }).getByRole('button', { name: /^Slide/ });
  await expect(dots).toHaveCount(6);
  const current = page.locator('.dot[aria-current="true"]');
  await expect(current).toHaveAccessibleName(/^Slide 1/);
  await page.clock.runFor(5000);
  await expect(current).toHaveAccessibleName(/^Slide 2/);
  await dots.nth(4).click();
  await expect(current).toHaveAccessibleName(/^Slide 5/);
});

test('a visitor asks for access, and the super admin is notified', async ({ page, lab }) => {
  await page.goto('/');
  await page.getByRole('link', { name: 'Get Started' }).first().click();
  await page.getByLabel(/^E-mail/).fill('dean@college.example');
  await page.getByLabel(/Institution/).fill('The College');
  await page.getByLabel('Purpose of use').selectOption('Teaching/Education');
  await page.getByLabel(/Description/).fill('A class of forty.');
  await page.getByRole('button', { name: 'Submit Request' }).click();
  await expect(page.getByText('Request Submitted Successfully!')).toBeVisible();
  await expect.poll(async () => (await lab.mails(SUPER_ADMIN)).join()).toContain('The College');
  await page.getByRole('link', { name: 'Return to Home' }).click();
  await expect(page).toHaveURL('/');
});
