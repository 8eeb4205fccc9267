import type { Page } from '@playwright/test';
import { examineHere } from './support/axe.ts';
import { people, type Lab } from './support/lab.ts';
import { run } from './support/surveys.ts';
import { expect, signedIn, test, visit } from './support/test.ts';

test('axe finds nothing on the tabs of administrators and owners', async ({ page, lab, visitAs }) => {
  await signedIn(page, lab, people.super_admin);
  await examineTabs(page, '/admin', ['Personas', 'Queue and Workers']);
  const owner = await visitAs(people.admin);
  await examineTabs(owner, '/groups/1/manage-members', ['Surveys', 'Runs', 'Usage']);
  await owner.getByRole('tab', { name: 'Members' }).click();
  await owner.getByRole('button', { name: 'Paste or Upload a Class List' }).click();
  await owner.getByLabel('E-mails').fill('ada@class.example, no address');
  await examineHere(owner, 'a class list');
});

test('axe finds nothing on the answers', async ({ page, lab }) => {
  await signedIn(page, lab, people.user);
  const answers = await lab.responses();
  await examineTabs(page, answers, [
    'List View',
    'Survey Questions',
    'Charts',
    'How far to trust this',
    'Matrix View',
  ]);
  await page.getByRole('table').getByRole('button').first().click();
  await expect(page.getByRole('dialog')).toBeVisible();
  await examineHere(page, 'the answers of a twin');
  await examineAt(page, `${answers}/report`);
  const first = answers.split('/').at(-1);
  const second = await run(lab, people.user, await copied(lab), { personaCount: 3 });
  await examineAt(page, `/compare?runs=${first},${second}`);
});

test.describe('a run that is not there', () => {
  test.use({ complaints: [/status of 404/] });

  test('axe finds nothing where no run is', async ({ page, lab }) => {
    await signedIn(page, lab, people.user);
    await examineAt(page, '/simulation-responses/1/00000000-0000-4000-8000-000000000000');
  });
});

test('axe finds nothing on what is opened over a page, nor behind a link', async ({ page, lab }) => {
  await signedIn(page, lab, people.user);
  await visit(page, `${await lab.responses()}?tab=questions`);
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
  await page.getByLabel('Quotas').check();
  await page.getByRole('combobox', { name: 'Attribute', exact: true }).click();
  await page.getByTitle('Gender', { exact: true }).click();
  await expect(page.getByLabel('Female', { exact: true })).toBeVisible();
  await examineHere(page, 'Start with quotas');
  await page.setViewportSize({ width: 390, height: 844 });
  await examineAt(page, shared);
});

test.describe('conflicts', () => {
  // A change that would write over another's is refused.
  test.use({ complaints: [/status of 409/] });

  test('axe finds nothing where a survey is written', async ({ page, lab }) => {
    await signedIn(page, lab, people.user);
    const survey = await copied(lab);
    await visit(page, `/surveys/${survey}`);
    await page.getByRole('button', { name: '+ Add Question' }).click();
    for (const type of ['Single Choice', 'Matrix Rating', 'Slider', 'Text Entry']) {
      await page.getByRole('dialog').locator('label').filter({ hasText: type }).click();
      await page.getByLabel('Question Text').fill(`Do you not agree, ${type}, that this is short and clear?`);
      await examineHere(page, `the form of ${type}`, '.question-open');
    }
    await page.keyboard.press('Escape');
    for (const button of ['Preview', 'Ask one twin', 'Paste text']) {
      await page.getByRole('button', { name: button }).click();
      await expect(page.getByRole('dialog')).toBeVisible();
      await examineHere(page, button);
      await page.keyboard.press('Escape');
      await expect(page.getByRole('dialog')).toBeHidden();
    }
    const [question] = (await lab.call(people.user, 'GET', `/api/surveys/${survey}/questions`)) as [
      { id: number },
    ];
    await page.getByRole('button', { name: 'Edit question 1', exact: true }).click();
    await lab.call(people.user, 'PATCH', `/api/surveys/questions/${question.id}`, {
      text: 'Written elsewhere?',
    });
    await page.getByLabel('Question Text').fill('Written here?');
    await expect(page.getByText('This question was changed elsewhere')).toBeVisible();
    await examineHere(page, 'a conflict');
    await visit(page, '/survey-builder');
    await page.getByRole('button', { name: 'Create Survey' }).click();
    for (const beginning of ['A classic study', 'Plain text']) {
      await page.getByText(beginning).click();
      await examineHere(page, beginning);
    }
  });
});

test('axe finds nothing on the answers on the wall', async ({ page, lab }) => {
  await signedIn(page, lab, people.user);
  const answers = await lab.responses();
  await page.setViewportSize({ width: 390, height: 844 });
  await examineAt(page, `${answers}/present?q=1`);
  await page.setViewportSize({ width: 1440, height: 900 });
  // A single choice, a row of a matrix, and a slider.
  for (const question of [1, 3, 6]) {
    await page.goto(`${answers}/present?q=${question}`);
    await examineHere(page, `question ${question}`);
    await page.keyboard.press('Space');
    await examineHere(page, `question ${question} revealed`);
    await page.keyboard.press('s');
    await expect(page.getByText('by Age')).toBeVisible();
    await examineHere(page, `question ${question} split`);
  }
});

/** A copy of the demo workspace's survey; its id. */
async function copied(lab: Lab): Promise<number> {
  const { duplicatedSurvey } = (await lab.call(people.user, 'POST', '/api/surveys/1/duplicate', {
    title: 'To be written',
  })) as { duplicatedSurvey: { id: number } };
  return duplicatedSurvey.id;
}

async function examineAt(page: Page, address: string): Promise<void> {
  await visit(page, address);
  await examineHere(page, address);
}

/** Examines the panel of each tab of a page. */
async function examineTabs(page: Page, address: string, tabs: string[]): Promise<void> {
  await visit(page, address);
  for (const name of tabs) {
    const tab = page.getByRole('tab', { name });
    await tab.click();
    await expect(tab).toHaveAttribute('aria-selected', 'true');
    await examineHere(page, `${address} ${name}`);
  }
}
