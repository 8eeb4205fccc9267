import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import Papa from 'papaparse';
import { examine } from './support/axe.ts';
import { expectBarsAsLongAsTheirShares } from './support/bars.ts';
import { SUPER_ADMIN } from './support/lab.ts';
import { expect, test, visit } from './support/test.ts';
import { sheetsOf } from './support/workbook.ts';

// One story in order: each test continues with the state that the one before left.
test.describe.configure({ mode: 'serial' });
test.use({ gated: true });

const DEAN = 'dean@college.example';
const STUDENT = 'student@college.example';
const SURVEY = 'Everyday mornings';
const TWINS = 20;
const QUESTIONS = 5;

test('a dean asks for access and a super admin approves', async ({ page, visitAs, lab }) => {
  await visit(page, '/get-started');
  await page.getByLabel(/^E-mail/).fill(DEAN);
  await page.getByLabel('Institution name').fill('The College');
  await page.getByRole('button', { name: 'Submit Request' }).click();
  await expect(page.getByText('Request Submitted Successfully!')).toBeVisible();

  const admin = await visitAs(SUPER_ADMIN);
  await visit(admin, '/admin');
  const request = admin.getByRole('row').filter({ hasText: DEAN });
  await request.getByRole('button', { name: 'Approve' }).click();
  await expect(request.getByText('approved')).toBeVisible();
  await expect.poll(async () => (await lab.mails(DEAN)).length).toBe(1);
});

test('the dean makes a group and gives a student credits', async ({ visitAs, lab }) => {
  const page = await visitAs(DEAN);
  await page.getByRole('button', { name: 'Create Group' }).click();
  const dialog = page.getByRole('dialog', { name: 'Create New Group' });
  await dialog.getByLabel('Group Name').fill('Mornings');
  await dialog.getByLabel('Default Budget').fill('2000');
  await dialog.getByRole('button', { name: 'Create Group' }).click();
  await expect(dialog).toBeHidden();

  const group = page.getByRole('row').filter({ hasText: 'Mornings' });
  await expect(group.getByText('active', { exact: true })).toBeVisible();
  await group.getByRole('link', { name: 'Manage Members' }).click();
  await page.getByLabel('E-mail').fill(STUDENT);
  await page.getByLabel('Default Budget').fill('2000');
  await page.getByRole('button', { name: 'Add Member' }).click();
  await expect(page.getByText('User added successfully!')).toBeVisible();

  await page.getByLabel(`Select ${STUDENT}`).check();
  await page.getByLabel('Amount to Add').fill('500');
  await page.getByRole('button', { name: 'Add Funds' }).click();
  await expect(page.getByText('1 member(s) budget increased by 500 successfully!')).toBeVisible();

  const member = page.getByRole('row').filter({ hasText: STUDENT });
  await member.getByRole('button', { name: 'Edit Budget' }).click();
  await page.getByLabel(`Budget of ${STUDENT}`).fill('3000');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await expect(page.getByText('Budget updated successfully!')).toBeVisible();
  await expect(member).toContainText('3,000');
  await expect.poll(async () => (await lab.mails(STUDENT)).length).toBe(1);
});

test('the student writes a survey with a question of every type and puts it in order', async ({
  visitAs,
}) => {
  const page = await visitAs(STUDENT);
  await page.getByRole('link', { name: 'Survey Builder' }).click();
  await page.getByRole('button', { name: 'Create Your First Survey' }).click();
  const create = page.getByRole('dialog', { name: 'Create Survey' });
  await create.getByLabel('Title').fill(SURVEY);
  await create.getByLabel('Group').click();
  await page.getByTitle('Mornings').click();
  await create.getByRole('button', { name: 'Create Survey' }).click();
  await expect(page.getByText('Survey Created!')).toBeVisible();

  await page.getByRole('link', { name: 'Manage Questions' }).click();
  await expect(page.getByText('No questions found')).toBeVisible();
  await addQuestion(page, 'Single Choice', 'What do you drink?', async (dialog) => {
    await dialog.getByLabel('Option 1', { exact: true }).fill('Coffee');
    await dialog.getByLabel('Option 2', { exact: true }).fill('Tea');
  });
  await addQuestion(page, 'Multiple Choice', 'What do you eat?', async (dialog) => {
    await dialog.getByLabel('Option 1', { exact: true }).fill('Bread');
    await dialog.getByLabel('Option 2', { exact: true }).fill('Fruit');
    await dialog.getByRole('button', { name: '+ Add Option' }).click();
    await dialog.getByLabel('Option 3', { exact: true }).fill('Nothing');
  });
  await addQuestion(page, 'Matrix Rating', 'How are your mornings?', async (dialog) => {
    await dialog.getByRole('button', { name: '+ Add Sub-question' }).click();
    await dialog.getByLabel('Sub-question 1', { exact: true }).fill('They are calm');
    await dialog.getByRole('button', { name: '+ Add Sub-question' }).click();
    await dialog.getByLabel('Sub-question 2', { exact: true }).fill('They are short');
  });
  await addQuestion(page, 'Slider', 'How well did you sleep?', async (dialog) => {
    await dialog.getByLabel('Minimum value').fill('1');
    await dialog.getByLabel('Maximum value').fill('10');
  });
  await addQuestion(page, 'Text Entry', 'What did you dream of?', async () => undefined);

  const texts = page.getByRole('article').getByRole('heading');
  const handle = (order: number) => page.getByRole('button', { name: `Move question ${order}` });
  await handle(5).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Space');
  await expect(page.getByText('Question order updated successfully!')).toBeVisible();
  await expect(texts).toHaveText([/drink/, /eat/, /mornings/, /dream/, /sleep/]);

  const second = page.getByRole('article').nth(1);
  const [box, target] = [await handle(1).boundingBox(), await second.boundingBox()];
  if (box === null || target === null) throw new Error('the cards have no place');
  await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width / 2, box.y + 30, { steps: 4 });
  await page.mouse.move(box.x + box.width / 2, target.y + target.height * 0.8, { steps: 10 });
  // The other card makes room: only then has the list seen where the mouse is.
  await expect.poll(async () => (await second.boundingBox())?.y).toBeLessThan(target.y);
  // A reload cuts off what is still being saved.
  const saved = page.waitForResponse((answer) => answer.url().endsWith('/questions/order') && answer.ok());
  await page.mouse.up();
  await expect(texts).toHaveText([/eat/, /drink/, /mornings/, /dream/, /sleep/]);
  await saved;
  await page.reload();
  await expect(texts).toHaveText([/eat/, /drink/, /mornings/, /dream/, /sleep/]);
});

test('a run is started, watched, paused by its student and by the dean, and goes on', async ({
  visitAs,
  model,
  lab,
}) => {
  model?.allow(7);
  const page = await visitAs(STUDENT);
  await visit(page, '/survey-builder');
  await page.getByRole('button', { name: 'Start Simulation' }).click();
  const start = page.getByRole('dialog', { name: 'Start Simulation' });
  await start.getByLabel('Number of digital twins').fill(String(TWINS));
  await expect(start).toContainText(`Credits needed${TWINS * QUESTIONS}`);
  await expect(start).toContainText('Credits available3,000');
  await start.getByRole('button', { name: 'Start Simulation' }).click();
  await expect(page.getByText(`The simulation for “${SURVEY}” is now running`)).toBeVisible();
  await expect(page).toHaveURL('/simulation-history');

  const run = page.getByRole('row').filter({ hasText: SURVEY });
  await expect(run.getByText('Processing...')).toBeVisible();
  await expect(run.getByText(`35 of ${TWINS * QUESTIONS}`)).toBeVisible();
  await run.getByRole('button', { name: 'Simulation is processing, show details' }).click();
  const processing = page.getByRole('dialog', { name: 'Simulation Processing' });
  await expect(processing).toContainText('It usually takes 1-3 minutes');
  await processing.getByRole('button', { name: 'Close', exact: true }).last().click();

  await examine(page, 'the history while a run is under way');

  const [started] = (await lab.call(STUDENT, 'GET', '/api/simulations')) as [
    { surveyId: number; simulationId: string },
  ];
  const watching = await visitAs(STUDENT);
  await visit(watching, `/simulation-responses/${started.surveyId}/${started.simulationId}`);
  await expect(watching.getByText(/^Live, partial/)).toBeVisible();
  await examine(watching, 'the page of a run under way');
  await watching.getByRole('tab', { name: 'Charts' }).click();
  await expect(watching.getByRole('region', { name: 'Question 1', exact: true })).toContainText('n = 7');
  await examine(watching, 'the charts of a run under way');
  await watching.close();

  await run.getByRole('button', { name: 'Runs of this survey' }).click();
  const history = page.getByRole('dialog', { name: `Simulation History: ${SURVEY}` });
  await history.getByRole('button', { name: 'Pause' }).click();
  await expect(history.getByText('Paused', { exact: true })).toBeVisible();
  await history.getByRole('button', { name: 'Resume' }).click();
  await expect(history.getByRole('button', { name: 'Pause' })).toBeVisible();

  // The owner of the group, in three clicks.
  const dean = await visitAs(DEAN);
  await dean
    .getByRole('row')
    .filter({ hasText: 'Mornings' })
    .getByRole('link', { name: 'Manage Members' })
    .click();
  await dean.getByRole('tab', { name: 'Runs' }).click();
  await dean.getByRole('button', { name: `Pause: ${SURVEY}` }).click();
  await expect(dean.getByText('Paused', { exact: true })).toBeVisible();
  await dean.getByRole('button', { name: `Stop: ${SURVEY}` }).click();
  await expect(dean.getByRole('dialog')).toBeVisible();
  await examine(dean, 'the question before a stop');
  await history.getByRole('button', { name: 'Resume' }).click();
  await expect(history.getByRole('button', { name: 'Pause' })).toBeVisible();
  model?.allow(Infinity);
  await expect(history.getByText('Completed', { exact: true })).toBeVisible();
  await expect(history).toContainText('All requests completed successfully on first attempt');
  await history.getByRole('button', { name: 'Close', exact: true }).last().click();
  await expect(run.getByText('Completed')).toBeVisible();
});

test('the student reads the results and takes them along', async ({ visitAs }) => {
  const page = await visitAs(STUDENT);
  await visit(page, '/simulation-history');
  const run = page.getByRole('row').filter({ hasText: SURVEY });
  const [csv, asked] = await Promise.all([
    page.waitForEvent('download'),
    page.waitForRequest(/responses\/export\.csv/),
    run.getByRole('button', { name: 'Download responses' }).click(),
  ]);
  expect(csv.suggestedFilename()).toMatch(/^simulation-[0-9a-f]{8}-responses\.csv$/);
  await expect(page.getByText(`Downloaded ${TWINS * QUESTIONS} response records`)).toBeVisible();
  const text = await readFile(await csv.path(), 'utf8');
  const ofServer = await page.request.get(asked.url().replace('raw=true', 'raw=false'), {
    headers: await asked.allHeaders(),
  });
  expect(text, 'the file of the page is the one of the server').toBe((await ofServer.body()).toString());
  const rows = Papa.parse<Record<string, string>>(text.replace(/^\uFEFF/, ''), {
    header: true,
    skipEmptyLines: true,
  });
  expect(rows.errors).toEqual([]);
  expect(rows.data).toHaveLength(TWINS * QUESTIONS);
  const drinks = rows.data
    .filter((row) => row.questionText === 'What do you drink?')
    .map((row) => row.answer);
  expect(drinks).toHaveLength(TWINS);
  expect(drinks.every((answer) => answer === 'Coffee' || answer === 'Tea')).toBe(true);

  await run.getByRole('button', { name: 'View responses' }).click();
  await expect(page.getByRole('heading', { name: 'Simulation Responses' })).toBeVisible();
  await expect(page.getByRole('columnheader', { name: 'Q5' })).toBeVisible();
  await page.getByRole('tab', { name: 'List View' }).click();
  await expect(page.getByText('What do you eat?').first()).toBeVisible();
  await page.getByRole('tab', { name: 'Survey Questions' }).click();
  await expect(page.getByText('They are calm · They are short')).toBeVisible();
  await page.getByRole('tab', { name: 'Charts' }).click();
  await expect(page.getByRole('region', { name: 'Question 2' })).toContainText(`n = ${TWINS}`);
  await page.getByLabel('Split by').click();
  await page.getByTitle('Gender').click();
  const split = page.getByRole('region', { name: 'Question 2' });
  await expect(split).toContainText('Female');
  await expectBarsAsLongAsTheirShares(split);

  const [workbook] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download Excel' }).click(),
  ]);
  expect(workbook.suggestedFilename()).toMatch(/^simulation-[0-9a-f-]{36}-responses-complete\.xlsx$/);
  await expect(page.getByText('Complete Excel file downloaded successfully!')).toBeVisible();
  const sheets = await sheetsOf(await workbook.path());
  expect([...sheets.keys()].sort()).toEqual([
    'Codebook',
    'List View',
    'Matrix View',
    'Read Me',
    'Survey Questions',
    'Wide',
  ]);
  expect(sheets.get('Wide')).toBe(TWINS + 1);
  expect(sheets.get('List View')).toBe(TWINS * QUESTIONS + 1);
  expect(sheets.get('Survey Questions')).toBe(QUESTIONS + 1);
});

test('the student finds the run among the transactions', async ({ visitAs }) => {
  const page = await visitAs(STUDENT);
  await page.getByRole('link', { name: 'Transactions' }).click();
  const used = page.getByRole('row').filter({ hasText: 'Used' });
  await expect(used).toContainText(`-$${TWINS * QUESTIONS}`);
  await expect(used).toContainText('$2,900');
  await page.getByRole('button', { name: 'Refresh' }).click();
  await expect(page.getByText(/Loaded \d+ transactions/)).toBeVisible();
  await page.getByLabel('Search transactions').fill('no such thing');
  await expect(page.getByText('Try adjusting your filters to see more results.')).toBeVisible();
});

test('what the model refuses is shown, and asked again', async ({ visitAs, model }) => {
  model?.refuse(true);
  const page = await visitAs(STUDENT);
  await visit(page, '/survey-builder');
  await page.getByRole('button', { name: 'Duplicate Survey' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Duplicate Survey' }).click();
  await expect(page.getByText(`New survey: "${SURVEY} (Copy)"`)).toBeVisible();
  const copy = page.getByRole('row').filter({ hasText: '(Copy)' });
  await copy.getByRole('button', { name: 'Start Simulation' }).click();
  const start = page.getByRole('dialog', { name: 'Start Simulation' });
  await start.getByText('Manual selection').click();
  await start.getByLabel('Digital twin ids').fill('1, 2 3');
  await expect(start).toContainText('Credits needed15');
  await start.getByRole('button', { name: 'Start Simulation' }).click();

  const run = page.getByRole('row').filter({ hasText: '(Copy)' });
  await expect(run.getByText('Failed', { exact: true })).toBeVisible();
  await run.getByRole('button', { name: 'Runs of this survey' }).click();
  const history = page.getByRole('dialog');
  await history.getByText('Why requests failed').click();
  await expect(history).toContainText('the model refused to answer');
  model?.refuse(false);
  await history.getByRole('button', { name: 'Retry Failed' }).click();
  await expect(page.getByText('Failed requests retried successfully')).toBeVisible();
  await expect(history.getByText('Completed', { exact: true })).toBeVisible();
});

test('while a survey runs, it is asked for every 2 s, its progress every second, its status every 3 s', async ({
  visitAs,
  lab,
  model,
}) => {
  const surveys = (await lab.call(STUDENT, 'GET', '/api/surveys/my')) as { id: number; title: string }[];
  const id = surveys.find(({ title }) => title === SURVEY)?.id;
  model?.allow(0);
  await lab.call(STUDENT, 'POST', `/api/simulations/survey/${id}/start`, { personaCount: 40 });
  const page = await visitAs(STUDENT);
  await page.clock.install();
  const asked = new Map<string, number>();
  const underWay = new Set<unknown>();
  page.on('request', (request) => {
    const call = new URL(request.url()).pathname.split('/').at(-1) ?? '';
    asked.set(call, (asked.get(call) ?? 0) + 1);
    underWay.add(request);
  });
  page.on('requestfinished', (request) => underWay.delete(request));
  page.on('requestfailed', (request) => underWay.delete(request));
  const settled = async () => {
    await expect.poll(() => underWay.size).toBe(0);
    // What came is taken in: the next questions are timed from here.
    await page.evaluate(async () => {
      for (let turn = 0; turn < 5; turn++) {
        const { port1, port2 } = new MessageChannel();
        await new Promise((taken) => {
          port1.onmessage = taken;
          port2.postMessage(null);
        });
      }
    });
  };
  await page.goto('/survey-builder');
  await page.clock.pauseAt(new Date(Date.now() + 600_000));
  const row = page.getByRole('row').filter({ hasText: 'ACTIVE' });
  await expect(row).toContainText(/(?<!\d)0 %/);
  await settled();
  asked.clear();
  for (let second = 0; second < 12; second++) {
    // Each second brings another figure, so that the page is drawn anew.
    model?.allow(1);
    await page.clock.runFor(1000);
    await settled();
  }
  expect(['my', 'live-progress', 'refresh-status'].map((call) => asked.get(call))).toEqual([6, 12, 4]);
  await expect(row).not.toContainText(/(?<!\d)0 %/);
  model?.allow(Infinity);
});

test.describe('a member who is suspended', () => {
  test.use({ complaints: [/status of 401/] });

  test('is shown out at the next call', async ({ visitAs }) => {
    const student = await visitAs(STUDENT);
    const dean = await visitAs(DEAN);
    await dean.getByRole('link', { name: 'Manage Members' }).click();
    const member = dean.getByRole('row').filter({ hasText: STUDENT });
    await member.getByRole('button', { name: 'Suspend' }).click();
    // By key: while the dialog grows to its size, a click may land beside the button.
    await dean.getByRole('dialog').getByRole('button', { name: 'Suspend' }).press('Enter');
    await expect(member.getByText('Suspended')).toBeVisible();
    await visit(student, '/survey-builder');
    await expect(student).toHaveURL('/login?next=%2Fsurvey-builder');
    expect(await student.evaluate(() => localStorage.getItem('token'))).toBeNull();
  });
});

/** Adds a question through the form; the new card comes last. */
async function addQuestion(
  page: Page,
  type: string,
  text: string,
  fill: (dialog: ReturnType<Page['getByRole']>) => Promise<void>,
): Promise<void> {
  await page.getByRole('button', { name: '+ Add Question' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add Question' });
  await dialog.locator('label').filter({ hasText: type }).click();
  await dialog.getByLabel('Question Text').fill(text);
  await fill(dialog);
  await dialog.getByRole('button', { name: 'Add Question' }).click();
  await expect(page.getByText('Question added successfully!').last()).toBeVisible();
  await expect(dialog).toBeHidden();
  await expect(page.getByRole('heading', { name: text })).toBeVisible();
}
