import type { Page } from '@playwright/test';
import { examine } from './support/axe.ts';
import { USER } from './support/lab.ts';
import { MAX_RUN_MS, importSurvey } from './support/surveys.ts';
import { expect, signedIn, test, visit } from './support/test.ts';

const survey = {
  title: 'Fees',
  questions: [
    {
      name: 'fair',
      type: 'SINGLE_CHOICE',
      text: 'How fair is {{field:fee}}?',
      options: ['Fair', 'Neither', 'Unfair'],
      scale: 'ordinal',
    },
    { name: 'pay', type: 'SLIDER', text: 'What would you pay?', min_value: 0, max_value: 100 },
  ],
  flow: [
    {
      random: 'fee_arm',
      take: 1,
      of: [
        { arm: 'resort', flow: [{ set: { fee: 'a resort fee' } }] },
        { arm: 'service', flow: [{ set: { fee: 'a service fee' } }] },
      ],
    },
    { block: 'dv', questions: ['fair', 'pay'] },
  ],
};

/** A survey with a question that the flow skips for some twins. */
const surveyWithSkips = {
  ...survey,
  questions: [
    ...survey.questions,
    { name: 'why', type: 'OPENENDED', text: 'Why?', show_if: { answer: 'fair', is: 'Unfair' } },
  ],
  flow: [...survey.flow, { block: 'reason', questions: ['why'] }],
};

/** Adds an option to one of antd's selects of several. */
async function add(page: Page, label: string, ...options: string[]): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  for (const option of options) {
    await page.locator('.ant-select-item-option-content').getByText(option, { exact: true }).last().click();
  }
  await page.keyboard.press('Escape');
}

test('baselines and repeats are started for one price, watched in one page and compared', async ({
  page,
  lab,
}) => {
  const id = await importSurvey(lab, USER, survey);
  await signedIn(page, lab, USER);
  await visit(page, `/surveys/${id}`);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Number of digital twins').fill('30');
  await dialog.getByRole('button', { name: 'Study: the same twins in several runs' }).click();
  await add(page, 'Profile texts', 'Summary', 'Empty');
  await dialog.getByLabel('Repeats').fill('2');
  await expect(dialog.getByText('Credits needed, 4 runs')).toBeVisible();
  await dialog.getByRole('checkbox', { name: 'Every twin in every arm' }).check();
  await expect(dialog.getByText('Credits needed, 8 runs')).toBeVisible();
  await expect(dialog.locator('.estimate')).toContainText('480');
  await examine(page, 'the start of a study');
  await dialog.getByRole('button', { name: 'Start Study' }).click();

  await expect(page).toHaveURL(/\/studies\/[0-9a-f-]{36}$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Fees' })).toBeVisible();
  await expect(page.getByText('480 of 480 answered')).toBeVisible({ timeout: MAX_RUN_MS });
  await expect(page.getByRole('button', { name: /all/ })).toHaveCount(0);
  await expect(page.getByRole('link', { name: 'Empty · service · repeat 2' })).toBeVisible();

  // What the profile adds, question by question; and how stable the answers are.
  await expect(page.getByText('Question by question')).toBeVisible();
  await page.getByRole('combobox', { name: 'Run', exact: true }).click();
  await page.getByTitle('Empty · resort · repeat 1').last().click();
  await expect(page.getByRole('cell', { name: 'pay What would you pay?' }).first()).toBeVisible();
  // All twins count, whenever the runs were looked at first.
  await expect(page.getByRole('row', { name: /pay What would you pay/ }).first()).toContainText(/\?30\d/);
  await expect(page.getByText(/^Asked 2 times:/)).toHaveCount(4);

  // What the repeats forecast, beside people who all stood in one arm and found everything fair.
  const study = new URL(page.url()).pathname.split('/').at(-1) ?? '';
  const { runs } = (await lab.call(USER, 'GET', `/api/studies/${study}`)) as {
    runs: { simulationId: string }[];
  };
  const twins = (await lab.call(
    USER,
    'GET',
    `/api/surveys/${id}/simulation/${runs[0]?.simulationId ?? ''}/responses/matrix?limit=100`,
  )) as { personaPid: string }[];
  const rows = twins.map(({ personaPid }, row) => `${personaPid},${['resort', 'service'][row % 2]},Fair,20`);
  const beside = page.getByRole('region', { name: 'Twins beside people' });
  await beside.locator('input[type=file]').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(['pid,cond,fair,pay', ...rows].join('\n')),
  });
  await beside.getByLabel('Column of the arm').fill('cond');
  await beside.getByRole('button', { name: 'Compare' }).click();
  const forecasts = beside.getByRole('region', { name: 'Calibration' });
  await expect(forecasts.getByText(/30 people whose twin answered in all 2 repeats/)).toBeVisible();
  await expect(beside.getByText('The twins stood in 2 arms each.')).toBeVisible();
  await forecasts.getByText('The likeliest option').click();
  await expect(forecasts.getByText(/below the dashed line twins are too sure/)).toBeVisible();
  const [table] = await Promise.all([
    page.waitForEvent('download'),
    forecasts.getByRole('button', { name: 'CSV' }).click(),
  ]);
  expect(table.suggestedFilename()).toBe('evidence-what-repeats-forecast-and-what-people-answered.csv');
  await examine(page, 'a study');
  for (const width of [1440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(width);
  }

  // All of it in one file.
  await page.getByRole('button', { name: 'Bundle' }).click();
  const asked = page.getByRole('dialog', { name: 'Bundle of this study' });
  await asked.getByRole('checkbox', { name: /exact prompts/ }).check();
  await examine(page, 'the dialog of a bundle');
  const bundle = page.waitForEvent('download');
  await asked.getByRole('button', { name: 'Download' }).click();
  expect((await bundle).suggestedFilename()).toMatch(/^study-[0-9a-f]{8}-bundle\.zip$/);

  // From a run back to its study.
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('link', { name: 'Summary · resort · repeat 1' }).click();
  await page.getByRole('tab', { name: 'Details' }).click();
  await expect(page.getByText('all twins in fee_arm: resort')).toBeVisible();
  await page.getByRole('link', { name: 'The runs that were started with it' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Fees' })).toBeVisible();
});

test('a plan hides results until it is frozen, and lists what is done otherwise for everybody', async ({
  page,
  lab,
}) => {
  const id = await importSurvey(lab, USER, survey);
  await signedIn(page, lab, USER);
  await visit(page, `/surveys/${id}/plans`);
  await page.getByRole('button', { name: 'New plan' }).click();
  await expect(page).toHaveURL(/\/study-plans\/[0-9a-f-]{36}$/);
  await page.getByLabel('Title', { exact: true }).fill('Do resort fees seem fair?');
  await page.getByLabel('Hypotheses, one a line').fill('A resort fee seems less fair.');
  await add(page, 'Primary questions', 'fair: How fair is {{field:fee}}?');
  await page.getByLabel('Digital twins in each run').fill('10');
  await page.getByLabel('Seed').fill('7');
  await examine(page, 'a draft of a plan');
  await page.getByRole('button', { name: 'Save draft' }).click();
  await expect(page.getByText('Plan saved')).toBeVisible();
  const plan = page.url();

  // An arm that the survey has not, or has no more, is named with the one that is most like it.
  await page.getByRole('button', { name: 'Add a primary contrast' }).click();
  for (const [label, name] of [
    ['Contrast 1 of', 'fee_arm'],
    ['Contrast 1, first', 'resorts'],
    ['Contrast 1, second', 'service'],
  ] as const) {
    await page.getByLabel(label, { exact: true }).fill(name);
    await page.keyboard.press('Tab');
  }
  await page.getByRole('button', { name: 'Save draft' }).click();
  await expect(page.getByText('Contrast 1, first: “resorts”')).toBeVisible();
  await examine(page, 'a draft that speaks of what is gone');
  await page.getByRole('button', { name: 'Use “resort” instead' }).click();
  await expect(page.getByText('Contrast 1, first: “resorts”')).toBeHidden();
  await expect(page.getByLabel('Contrast 1, first', { exact: true })).toHaveValue('resort');

  // A study by it shows counts alone.
  await visit(page, `/surveys/${id}`);
  await page.getByRole('button', { name: 'Start', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Plan', { exact: true }).click();
  await page
    .getByTitle(/Do resort fees seem fair/)
    .last()
    .click();
  await expect(dialog.getByLabel('Number of digital twins')).toHaveValue('10');
  await dialog.getByLabel('Number of digital twins').fill('12');
  await dialog.getByRole('button', { name: 'Start Study' }).click();
  await expect(
    page.getByText('The results are hidden until the plan of this study is frozen.'),
  ).toBeVisible();
  await expect(page.locator('.study-together')).toContainText('24 of 24 answered', { timeout: MAX_RUN_MS });
  await expect(page.getByText('Question by question')).toHaveCount(0);
  await examine(page, 'a study whose results are hidden');
  await page.getByRole('link', { name: 'Single run' }).click();
  await expect(
    page.getByText('The results are hidden until the plan of this study is frozen.'),
  ).toBeVisible();
  await expect(page.getByRole('button', { name: 'Download Excel' })).toBeDisabled();

  await visit(page, plan);
  await page.getByRole('button', { name: 'Freeze…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Freeze' }).click();
  await expect(page.getByRole('row', { name: /^Digital twins.*10\s*12/ })).toBeVisible();
  await page.getByRole('button', { name: 'Add a reason for Digital twins' }).click();
  await page.getByRole('dialog').getByLabel('Reason').fill('There was money left.');
  await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click();
  await page.getByRole('button', { name: 'Publish' }).click();
  const link = await page.getByLabel('Address').inputValue();
  await examine(page, 'a frozen plan');

  await visit(page, link);
  await expect(page.getByRole('heading', { level: 1, name: 'Do resort fees seem fair?' })).toBeVisible();
  await expect(page.getByRole('row', { name: /Digital twins.*There was money left/ })).toBeVisible();
  await examine(page, 'the public page of a plan');
  for (const address of [link, plan]) {
    await visit(page, address);
    await page.setViewportSize({ width: 390, height: 900 });
    await expect(page.getByText('There was money left.')).toBeVisible();
    await expect
      .poll(() => page.evaluate(() => document.documentElement.scrollWidth))
      .toBeLessThanOrEqual(390);
  }
});

test('the runs of a study are stopped, continued and found again together', async ({ page, lab }) => {
  const id = await importSurvey(lab, USER, surveyWithSkips);
  const body = { run: { personaCount: 40, questionsPerCall: 1, name: 'Repeated' }, repeats: 4 };
  const { studyId } = (await lab.call(USER, 'POST', `/api/surveys/${id}/studies`, body)) as {
    studyId: string;
  };
  await lab.call(USER, 'POST', `/api/studies/${studyId}/pause`);
  await signedIn(page, lab, USER);
  await visit(page, `/studies/${studyId}`);
  await expect(page.getByRole('heading', { level: 1, name: 'Repeated' })).toBeVisible();
  await page.getByRole('button', { name: 'Stop all…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Stop', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Resume all' })).toHaveCount(0);
  await expect(page.locator('.study-together')).toContainText('Stopped');
  await page.getByRole('button', { name: 'Rename…' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Once more');
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Once more' })).toBeVisible();
  await page.getByRole('button', { name: /^Continue all/ }).click();
  await expect(page.locator('.study-together')).toContainText('Completed', { timeout: MAX_RUN_MS });
  await visit(page, `/simulation-history?survey=${id}`);
  const studies = page.getByRole('region', { name: 'Studies' });
  await expect(studies.getByRole('row', { name: /Once more.*4.*Completed/ })).toBeVisible();
  await examine(page, 'the studies of a survey');
  await page.setViewportSize({ width: 390, height: 900 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1440, height: 900 });
  await studies.getByRole('link', { name: 'Once more' }).click();
  await expect(page.getByRole('heading', { level: 1, name: 'Once more' })).toBeVisible();
  await expect(page.getByRole('row', { name: /skipped by the flow/ }).first()).toBeVisible();
  await page.setViewportSize({ width: 390, height: 900 });
  await expect.poll(() => page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto('/simulation-history');
  await expect(page.getByRole('link', { name: 'study' }).first()).toBeVisible();
});
