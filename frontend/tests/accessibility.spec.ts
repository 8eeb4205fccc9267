import AxeBuilder from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { people } from './support/lab.ts';
import { expect, inTheme, signedIn, test } from './support/test.ts';

const open = [
  '/',
  '/about',
  '/collaboration',
  '/get-started',
  '/terms',
  '/privacy',
  '/login',
  '/no/such/page',
];
/** Each page once, as the one to whom it shows most, and again for who sees other things on it. */
const addresses = {
  super_admin: [
    '/dashboard',
    '/groups',
    '/admin',
    '/groups/1/manage-members',
    '/simulation-history',
    '/transactions',
  ],
  admin: ['/dashboard', '/groups/1/manage-members', '/my-groups', '/transactions'],
  user: [
    '/dashboard',
    '/survey-builder',
    '/surveys/1',
    '/my-groups',
    '/profile',
    '/settings',
    '/simulation-history',
  ],
} as const;

test('axe finds nothing on the public pages', async ({ page }) => {
  for (const address of open) await examine(page, address);
});

for (const role of ['super_admin', 'admin', 'user'] as const) {
  test(`axe finds nothing on the pages of a ${role}`, async ({ page, lab }) => {
    await signedIn(page, lab, people[role]);
    for (const address of addresses[role]) await examine(page, address);
    if (role === 'super_admin') await examineTabs(page, '/admin', ['Personas', 'Queue and Workers']);
    if (role === 'admin') await examineTabs(page, '/groups/1/manage-members', ['Surveys', 'Runs', 'Usage']);
  });
}

test('axe finds nothing on the answers', async ({ page, lab }) => {
  await signedIn(page, lab, people.user);
  const answers = await lab.responses();
  await examineTabs(page, answers, ['List View', 'Survey Questions', 'Charts', 'Matrix View']);
  await page.getByRole('table').getByRole('button').first().click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await examineHere(page, 'the answers of a twin');
  await examine(page, `${answers}/report`);
  await examine(page, `/compare?runs=${answers.split('/').at(-1)}`);
  await examine(page, '/simulation-responses/1/00000000-0000-4000-8000-000000000000');
});

test('axe finds nothing on what is opened over a page, nor behind a link', async ({ page, lab }) => {
  await signedIn(page, lab, people.user);
  await page.goto(await lab.responses());
  await page.getByRole('button', { name: 'Share' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click();
  const link = page.getByLabel('Link', { exact: true });
  await expect(link).toBeVisible();
  await examineHere(page, 'Share');
  const shared = new URL(await link.inputValue()).pathname;
  await page.keyboard.press('Escape');
  await expect(page.getByRole('dialog')).toBeHidden();
  await page.keyboard.press('Control+k');
  await expect(page.getByRole('combobox', { name: 'Page, survey, run, group or action' })).toBeFocused();
  await examineHere(page, 'the palette');
  await page.keyboard.type('Survey Builder');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Account' }).click();
  await expect(page.getByRole('menuitem', { name: 'Sign out' })).toBeVisible();
  await examineHere(page, 'Account');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Start Simulation' }).first().click();
  await page.getByText('Advanced', { exact: true }).click();
  await expect(page.getByRole('spinbutton', { name: 'Questions per call' })).toBeVisible();
  await examineHere(page, 'Start');
  await page.setViewportSize({ width: 390, height: 844 });
  await examine(page, shared);
});

test('axe finds nothing where a survey is written', async ({ page, lab }) => {
  await signedIn(page, lab, people.user);
  const { duplicatedSurvey } = (await lab.call(people.user, 'POST', '/api/surveys/1/duplicate', {
    title: 'To be written',
  })) as { duplicatedSurvey: { id: number } };
  await page.goto(`/surveys/${duplicatedSurvey.id}`);
  await page.getByRole('button', { name: '+ Add Question' }).click();
  for (const type of ['Single Choice', 'Matrix Rating', 'Slider', 'Text Entry']) {
    await page.getByRole('dialog').locator('label').filter({ hasText: type }).click();
    await page.getByLabel('Question Text').fill(`Do you not agree, ${type}, that this is short and clear?`);
    await examineHere(page, `the form of ${type}`);
  }
  await page.keyboard.press('Escape');
  for (const button of ['Preview', 'Ask one twin', 'Paste text']) {
    await page.getByRole('button', { name: button }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    await examineHere(page, button);
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  }
  await page.goto('/survey-builder');
  await page.getByRole('button', { name: 'Create Survey' }).click();
  for (const beginning of ['A classic study', 'Plain text']) {
    await page.getByText(beginning).click();
    await examineHere(page, beginning);
  }
});

test('axe finds nothing on the answers on the wall', async ({ page, lab }) => {
  await signedIn(page, lab, people.user);
  const answers = await lab.responses();
  await page.setViewportSize({ width: 390, height: 844 });
  await examine(page, `${answers}/present?q=1`);
  await page.setViewportSize({ width: 1440, height: 900 });
  // A single choice, a row of a matrix, and a slider.
  for (const question of [1, 3, 6]) {
    await examine(page, `${answers}/present?q=${question}`);
    await page.keyboard.press('Space');
    await examineHere(page, `question ${question} revealed`);
    await page.keyboard.press('s');
    await expect(page.getByText('by Age')).toBeVisible();
    await examineHere(page, `question ${question} split`);
  }
});

async function examine(page: Page, address: string): Promise<void> {
  await page.goto(address);
  await examineHere(page, address);
}

/** What stands behind each tab of a page. */
async function examineTabs(page: Page, address: string, tabs: string[]): Promise<void> {
  await page.goto(address);
  for (const name of tabs) {
    await page.getByRole('tab', { name }).click();
    await examineHere(page, `${address} ${name}`);
  }
}

async function examineHere(page: Page, what: string): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText(/^Loading/)).toHaveCount(0);
  await find(page, new AxeBuilder({ page }), what);
  // The dark theme has the same elements in other colours.
  await inTheme(page, 'dark');
  await find(page, new AxeBuilder({ page }).withRules('color-contrast'), `${what}, dark`);
  await inTheme(page, 'light');
}

async function find(page: Page, axe: AxeBuilder, what: string): Promise<void> {
  // Colours fade from one theme to the other: in between, their contrast says nothing.
  await page.waitForFunction(() =>
    document.getAnimations().every((animation) => !(animation instanceof CSSTransition)),
  );
  const { violations } = await axe.analyze();
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  expect(found, what).toEqual([]);
}
