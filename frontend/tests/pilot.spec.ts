import type { Locator } from '@playwright/test';
import { ADMIN, USER } from './support/lab.ts';
import { expect, signedIn, test } from './support/test.ts';

/**
 * Maximum number of clicks from the sign-in page to a pilot under way, from its end to an answer by gender, and to a
 * class. Typing is no click.
 */
const MOST_CLICKS = { toPilot: 12, toAnswer: 3, toClass: 6 };

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

test('an owner adds a class, gives all of it credits and sees its runs in six clicks', async ({
  page,
  lab,
}) => {
  const { id } = (await lab.call(ADMIN, 'POST', '/api/groups', {
    group_name: 'A class',
    default_budget_per_user: 100,
    owner_email: ADMIN,
    status: 'open',
  })) as { id: number };
  await signedIn(page, lab, ADMIN);
  await page.goto('/my-groups');
  let clicks = 0;
  const click = async (what: Locator): Promise<void> => {
    clicks += 1;
    await what.click();
  };
  const row = page.getByRole('row').filter({ hasText: 'A class' });
  await click(row.getByRole('link', { name: 'Manage Members' }));
  await expect(page).toHaveURL(`/groups/${id}/manage-members`);
  await click(page.getByRole('button', { name: 'Paste or Upload a Class List' }));
  const list = Array.from({ length: 30 }, (_, index) => `student${index + 1}@class.example`);
  await page.getByLabel('E-mails').fill(list.join('\n'));
  await click(page.getByRole('button', { name: 'Add 30 Members' }));
  await expect(page.getByRole('dialog')).toBeHidden();
  await click(page.getByRole('button', { name: 'Select All' }));
  await page.getByLabel('Amount to Add').fill('50');
  await click(page.getByRole('button', { name: 'Add Funds' }));
  await expect(page.getByText(/budget increased by 50 successfully!/)).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: 'student30@class.example' })).toContainText('150');
  await click(page.getByRole('tab', { name: 'Runs' }));
  await expect(page.getByText('No runs in this group yet.')).toBeVisible();
  expect(clicks).toBeLessThanOrEqual(MOST_CLICKS.toClass);
});

test('a teacher shows a question on the wall, takes a guess and reveals it with one click', async ({
  page,
  lab,
}) => {
  await signedIn(page, lab, USER);
  await page.goto(await lab.responses());
  await page.getByRole('link', { name: 'Present', exact: true }).click();
  await expect(page).toHaveURL(/\/present/);
  const question = page.getByRole('heading', { level: 1 });
  await expect(question).toBeVisible();
  const first = await question.textContent();
  await page.keyboard.press('ArrowRight');
  await expect(question).not.toHaveText(first ?? '');
  await page.keyboard.type('55');
  await expect(page.getByRole('slider')).toHaveValue('55');
  await page.keyboard.press('Space');
  await expect(page.getByRole('status')).toContainText('The room’s guess: 55 %');
});
