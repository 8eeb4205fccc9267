import { examine } from './support/axe.ts';
import { USER } from './support/lab.ts';
import { importSurvey, run, type FileQuestion } from './support/surveys.ts';
import { expect, signedIn, test, visit } from './support/test.ts';

const options = ['Rent and heating', 'Food', 'Fun', 'Travel'];
const questions: FileQuestion[] = [
  { type: 'INFO', text: 'You plan the spending of next month.' },
  { type: 'CONSTANT_SUM', name: 'budget', text: 'Divide your budget.', options },
  { type: 'RANK', name: 'ranks', text: 'Rank these by how much they matter to you.', options },
  { type: 'BEST_WORST', name: 'ends', text: 'What would you miss most, and what least?', options },
  {
    type: 'MATRIX_MULTI',
    name: 'times',
    text: 'When do you use them?',
    sub_questions: ['Phone', 'Television'],
    scale_labels: ['Morning', 'Noon', 'Evening'],
  },
];

test('sums, rankings, best and worst choices and several labels a row have charts, and texts cost nothing', async ({
  page,
  lab,
}) => {
  const survey = await importSurvey(lab, USER, { title: 'A month', questions });
  const id = await run(lab, USER, survey, { personaCount: 60, seed: 5 });
  const started = (await lab.call(USER, 'GET', `/api/simulations/${id}`)) as { totalRequests: number };
  expect(started.totalRequests).toBe(4 * 60);
  await signedIn(page, lab, USER);
  await visit(page, `/simulation-responses/${survey}/${id}`);
  await page.getByRole('tab', { name: 'Charts' }).click();
  const chart = (order: number) => page.locator(`#question-${order}`);
  await expect(chart(2).getByRole('img')).toContainText(/Rent and heating[\s\S]*\d+\.\d\d ± \d+\.\d\d/);
  await expect(chart(3).getByRole('img')).toContainText(/\d\.\d\d ± \d\.\d\d · \d+ % first/);
  await expect(chart(4).getByRole('img')).toContainText(/% best, [<\d ]+ % worst/);
  await expect(chart(5).getByRole('img')).toContainText('Television: Evening');
  await expect(chart(1)).toHaveCount(0);
  await examine(page, 'charts of all types', '.charts');

  await page.getByLabel('Split by').click();
  await page.getByTitle('Gender', { exact: true }).click();
  await expect(chart(2).getByRole('img')).toContainText('Female');
  await expect(chart(2)).toContainText(/Welch t|F\(/);
  const path = `/api/surveys/${survey}/simulation/${id}/responses`;
  const file = async (name: string) => {
    const headers = { Authorization: `Bearer ${await lab.token(USER)}` };
    const answer = await fetch(`${lab.url}${path}/${name}`, { headers });
    expect(answer.status, name).toBe(200);
    return Buffer.from(await answer.arrayBuffer());
  };
  expect((await file('codebook.csv')).toString()).toContain(
    'times_2_3,When do you use them?: Television: Evening',
  );
  for (const name of [
    'wide.sav',
    'wide.dta',
    'wide.jsonl',
    'export.csv',
    'export.xlsx',
    'export.parquet',
    'bundle.zip',
  ]) {
    expect((await file(name)).length, name).toBeGreaterThan(1000);
  }
  await page.getByRole('tab', { name: 'Matrix View' }).click();
  await expect(page.getByText(/^Rent and heating: [\d.]+ \| Food/).first()).toBeVisible();
});

test('they stand on the wall, in the report and behind a link', async ({ page, lab }) => {
  const survey = await importSurvey(lab, USER, { title: 'A month on the wall', questions });
  const id = await run(lab, USER, survey, { personaCount: 20, seed: 5 });
  await signedIn(page, lab, USER);
  await visit(page, `/simulation-responses/${survey}/${id}/present`);
  await expect(page.getByText('How would you divide it?')).toBeVisible();
  await page.keyboard.press('Space');
  await expect(page.getByRole('img', { name: 'Mean numbers' })).toContainText('Rent and heating');
  await page.keyboard.press('ArrowRight');
  await expect(page.getByText('Ranked first')).toBeVisible();
  await visit(page, `/simulation-responses/${survey}/${id}/report`);
  await expect(page.locator('#question-4').getByRole('img')).toContainText('% best');
});

test('a sum is written in the builder and tried in the preview', async ({ page, lab }) => {
  const survey = await importSurvey(lab, USER, { title: 'A budget', questions: questions.slice(0, 1) });
  await signedIn(page, lab, USER);
  await visit(page, `/surveys/${survey}`);
  await expect(page.getByText('Shown before the next question')).toBeVisible();
  await page.getByRole('button', { name: 'Add Question' }).first().click();
  await page.getByLabel('Question Text').fill('Divide your budget.');
  await page.getByText('Constant Sum', { exact: true }).click();
  await page.getByLabel('Option 1', { exact: true }).fill('Rent');
  await page.getByLabel('Option 2', { exact: true }).fill('Food');
  await page.getByLabel('Total', { exact: true }).fill('20');
  await examine(page, 'a sum being written', '.question-open');
  await page.keyboard.press('Control+Enter');
  await expect(page.getByText('Total 20: Rent · Food')).toBeVisible();
  const [, sum] = (await lab.call(USER, 'GET', `/api/surveys/${survey}/questions`)) as { total?: number }[];
  expect(sum?.total).toBe(20);
  await expect(page.getByText('1 question', { exact: true })).toBeVisible();
});
