import { examine } from './support/axe.ts';
import { USER } from './support/lab.ts';
import { MAX_RUN_MS, importSurvey, run } from './support/surveys.ts';
import { expect, signedIn, test, visit } from './support/test.ts';

test('a run leads to a validation of its twins, and then shows what it found', async ({ page, lab }) => {
  const survey = await importSurvey(lab, USER, {
    title: 'Trust',
    questions: [{ name: 'fair', type: 'BOOLEAN', text: 'Is it fair?' }],
  });
  const simulation = await run(lab, USER, survey, { personaCount: 5, personaVariant: 'demographics' });
  await signedIn(page, lab, USER);
  const trust = `/simulation-responses/${survey}/${simulation}?tab=trust`;
  await visit(page, trust);
  await expect(page.getByRole('heading', { name: 'Not validated' })).toBeVisible();
  await page.getByRole('link', { name: 'Validate' }).click();

  await expect(page.getByRole('heading', { level: 1, name: 'Validation' })).toBeVisible();
  await expect(page.getByRole('checkbox', { name: /^Demographics/ })).toBeChecked();
  // A member of several groups chooses which one pays.
  await page.getByRole('combobox', { name: 'Group' }).click();
  await page.getByTitle('Demo Research Group').last().click();
  await page.getByLabel('Number of digital twins').fill('25');
  await expect(page.getByText('Credits needed, 3 runs')).toBeVisible();
  await examine(page, 'the start of a validation');
  await page.getByRole('button', { name: 'Validate' }).click();

  await expect(page).toHaveURL(/\/studies\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('heading', { name: 'How far to trust this' })).toBeVisible();
  await expect(page.locator('.study-together')).toContainText('Completed', { timeout: MAX_RUN_MS });
  await expect(page.getByText('So far')).toHaveCount(0);
  await expect(page.getByRole('row', { name: /^The same people, weeks later/ })).toBeVisible();
  await expect(page.getByRole('img', { name: 'Accuracy by task' })).toBeVisible();
  await examine(page, 'a validation');
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(width);
  }

  await page.setViewportSize({ width: 1440, height: 900 });
  await visit(page, trust);
  await expect(page.getByRole('row', { name: /^Demographics this run’s profile/ })).toBeVisible();
  await page.getByText('The figures, in a sentence each').click();
  await page.getByText('Accuracy by task as a table').click();
  await expect(page.getByRole('table', { name: /^Accuracy by task/ })).toBeVisible();
  await examine(page, 'how far to trust a run');
});
