import type { Locator } from '@playwright/test';
import { people } from './support/lab.ts';
import { expect, signedIn, test } from './support/test.ts';

test('a pilot is few clicks from home, and an answer by gender three from its end', async ({ page, lab }) => {
  await signedIn(page, lab, people.user);
  // Other tests count the answers of the demo workspace's own survey.
  await lab.call(people.user, 'POST', '/api/surveys/1/duplicate', { title: 'Ways and habits' });
  await page.goto('/my-groups');
  let clicks = 0;
  const click = async (what: Locator) => {
    clicks += 1;
    await what.click();
  };

  await click(page.getByRole('link', { name: 'Survey Builder' }));
  const survey = page.getByRole('row').filter({ hasText: 'Ways and habits' });
  await click(survey.getByRole('button', { name: 'Start Simulation' }));
  await click(page.getByRole('dialog').getByRole('button', { name: 'Pilot with 10 first' }));
  expect(clicks, 'to a running pilot').toBeLessThanOrEqual(12);

  // Whatever page one is on: the news of the end has the link.
  const news = page.getByRole('link', { name: 'View results' });
  await expect(news).toBeVisible();
  clicks = 0;
  await click(news);
  await click(page.getByLabel('Split by'));
  await click(page.getByTitle('Gender', { exact: true }));
  const travel = page.getByRole('region', { name: 'Question 1', exact: true });
  await expect(travel).toContainText('By public transport');
  await expect(travel).toContainText('Female');
  await expect(travel).toContainText('n = 10');
  expect(clicks, 'from the end of the run').toBeLessThanOrEqual(3);
});
