import type { Locator, Page } from '@playwright/test';
import { ADMIN, USER } from './support/lab.ts';
import { expect, signedIn, test } from './support/test.ts';

/** More than any page has. */
const MAX_STOPS = 120;

/** Takes the focus to a control by the tab key alone. */
async function reach(page: Page, control: Locator): Promise<void> {
  await expect(control).toBeVisible();
  // Found anew only where the page has drawn another in its place: to look through the page for its role at every stop
  // takes longer than the stop.
  let element = await control.elementHandle();
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    if (!(await page.evaluate((element) => element?.isConnected, element))) {
      element = await control.elementHandle();
    }
    if (await page.evaluate((element) => element?.contains(document.activeElement), element)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`the focus never reaches ${control.toString()}`);
}

async function press(page: Page, control: Locator, key = 'Enter'): Promise<void> {
  await reach(page, control);
  await page.keyboard.press(key);
}

test('a researcher writes a survey, starts it with chosen twins and splits its charts without a mouse', async ({
  page,
  lab,
}) => {
  await signedIn(page, lab, USER);
  await page.goto('/dashboard');
  await press(page, page.getByRole('link', { name: 'Survey Builder' }).first());
  await press(page, page.getByRole('button', { name: 'Create Survey' }));
  const create = page.getByRole('dialog', { name: 'Create Survey' });
  await reach(page, create.getByLabel('Title'));
  await page.keyboard.type('Without a mouse');
  await reach(page, create.getByLabel('Group', { exact: true }));
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await press(page, create.getByRole('button', { name: 'Create Survey' }));
  await expect(create).toBeHidden();

  const row = page.getByRole('row').filter({ hasText: 'Without a mouse' });
  await press(page, row.getByRole('link', { name: 'Manage Questions' }));
  await expect(page.getByText('No questions found')).toBeVisible();
  await expect(page.getByRole('button', { name: '+ Add Question' })).toBeEnabled();
  await page.keyboard.press('n');
  await expect(page.getByLabel('Question Text')).toBeFocused();
  await page.keyboard.type('How do you get to work?');
  await page.keyboard.press('Tab');
  await page.keyboard.type('Car');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Bus');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('heading', { name: 'How do you get to work?' })).toBeVisible();

  await press(page, page.getByRole('button', { name: 'Start', exact: true }));
  const start = page.getByRole('dialog', { name: 'Start Simulation' });
  await reach(page, start.getByRole('spinbutton', { name: 'Number of digital twins' }));
  await page.keyboard.press('Control+a');
  await page.keyboard.type('25');
  await press(page, start.getByRole('button', { name: 'Start Simulation' }));
  await expect(start).toBeHidden();

  await expect(page).toHaveURL('/simulation-history');
  await press(page, row.getByRole('link', { name: 'Without a mouse' }));
  await expect(page).toHaveURL(/simulation-responses/);
  await reach(page, page.getByRole('tab', { selected: true }));
  await page.keyboard.press('Home');
  await expect(page.getByRole('tab', { name: 'Overview' })).toBeFocused();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tab', { name: 'Charts' })).toBeFocused();
  await page.keyboard.press('Enter');
  await reach(page, page.getByLabel('Split by'));
  await page.keyboard.type('Gender');
  await page.keyboard.press('Enter');
  const first = page.getByRole('region', { name: 'Question 1', exact: true });
  await expect(first).toContainText('Female');
  await expect(first).toContainText('n = 25');
});

test('an owner makes a group, adds a member and gives credits without a mouse', async ({ page, lab }) => {
  await signedIn(page, lab, ADMIN);
  await page.goto('/dashboard');
  await press(page, page.getByRole('link', { name: 'My Groups' }).first());
  await press(page, page.getByRole('button', { name: 'Create Group' }));
  const create = page.getByRole('dialog', { name: 'Create New Group' });
  await reach(page, create.getByLabel('Group Name'));
  await page.keyboard.type('Keys only');
  await reach(page, create.getByLabel('Default Budget'));
  await page.keyboard.press('Control+a');
  await page.keyboard.type('100');
  await press(page, create.getByRole('button', { name: 'Create Group' }));
  await expect(create).toBeHidden();

  const row = page.getByRole('row').filter({ hasText: 'Keys only' });
  await press(page, row.getByRole('link', { name: 'Manage Members' }));
  await reach(page, page.getByLabel('E-mail'));
  await page.keyboard.type('keys@class.example');
  await press(page, page.getByRole('button', { name: 'Add Member' }));
  await expect(page.getByText('User added successfully!')).toBeVisible();
  await press(page, page.getByLabel('Select keys@class.example'), 'Space');
  await reach(page, page.getByLabel('Amount to Add'));
  await page.keyboard.type('50');
  await press(page, page.getByRole('button', { name: 'Add Funds' }));
  await expect(page.getByText('1 member(s) budget increased by 50 successfully!')).toBeVisible();
  await expect(page.getByRole('row').filter({ hasText: 'keys@class.example' })).toContainText('150');
});
