import { expect, test } from './support/test.ts';
import { SUPER_ADMIN } from './support/lab.ts';

const pages = [
  ['/', 'Digital Twin Lab'],
  ['/about', 'About'],
  ['/collaboration', 'Collaboration'],
  ['/evidence', 'How far to trust the answers of twins'],
  ['/get-started', 'Get Started'],
  ['/terms', 'Terms'],
  ['/privacy', 'Privacy'],
  ['/login', 'Sign In'],
  ['/no/such/page', 'Page Not Found'],
] as const;

test('every public page opens at its address, with the contact address of the server', async ({ page }) => {
  for (const [path, title] of pages) {
    await page.goto(path);
    await expect(page).toHaveTitle(new RegExp(title));
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    for (const link of await page.locator('a[href^="mailto:"]').all()) {
      expect(await link.getAttribute('href')).toMatch(/^mailto:lab@university\.example/);
    }
  }
});

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

test('no page scrolls sideways on a narrow phone', async ({ page }) => {
  await page.setViewportSize({ width: 360, height: 740 });
  for (const [path] of pages) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
    expect(await page.evaluate(() => document.documentElement.scrollWidth), path).toBeLessThanOrEqual(360);
  }
});

test('the carousel turns by itself and by its dots', async ({ page }) => {
  await page.emulateMedia({ reducedMotion: 'no-preference' });
  await page.clock.install();
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

test('a visitor asks for access, and the super admin is told', async ({ page, lab }) => {
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
