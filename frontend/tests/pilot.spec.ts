import type { Locator } from '@playwright/test';
import { USER } from './support/lab.ts';
import { expect, test } from './support/test.ts';

/** From the sign-in page to a pilot under way, and from its end to an answer by gender; what is typed is no click. */
const MOST_CLICKS = { toPilot: 12, toAnswer: 3 };

test('from the sign-in to a running pilot it takes few clicks, and three from its end to an answer by gender', async ({
  page,
  lab,
}) => {
  let clicks = 0;
  const click = async (what: Locator): Promise<void> => {
    clicks += 1;
    await what.click();
  };
  const codes = (await lab.codes(USER)).length;
  await page.goto('/login');
  await page.getByLabel('Email').fill(USER);
  await click(page.getByRole('button', { name: 'Send Verification Code' }));
  await page.getByLabel('Verification code').fill(await lab.code(USER, codes));
  await expect(page).toHaveURL(/\/my-groups$/);

  await click(page.getByRole('link', { name: 'Survey Builder' }));
  await click(page.getByRole('button', { name: 'Create Survey' }));
  const create = page.getByRole('dialog', { name: 'Create Survey' });
  await click(create.getByText('A classic study'));
  await click(create.getByLabel('Group', { exact: true }));
  await click(page.locator('.ant-select-item-option').first());
  await click(create.getByRole('button', { name: 'Create Survey' }));
  await expect(create).toBeHidden();

  await click(page.getByRole('button', { name: 'Start Simulation' }).first());
  await click(page.getByRole('button', { name: 'Pilot with 10 first' }));
  await expect
    .poll(async () => JSON.stringify(await lab.call(USER, 'GET', '/api/simulations')))
    .toContain('Pilot');
  expect(clicks).toBeLessThanOrEqual(MOST_CLICKS.toPilot);

  // The news of the end has the link, whatever page one is on.
  const news = page.getByRole('link', { name: 'View results' });
  await expect(news).toBeVisible();
  clicks = 0;
  await click(news);
  await click(page.getByLabel('Split by'));
  await click(page.getByTitle('Gender', { exact: true }));
  const first = page.getByRole('region', { name: 'Question 1', exact: true });
  await expect(first).toContainText('Female');
  await expect(first).toContainText('n = 10');
  expect(clicks).toBeLessThanOrEqual(MOST_CLICKS.toAnswer);
});
