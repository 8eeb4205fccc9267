import { readFile } from 'node:fs/promises';
import { examine } from './support/axe.ts';
import { USER } from './support/lab.ts';
import { run } from './support/surveys.ts';
import { expect, signedIn, test, visit } from './support/test.ts';

test('twins stand beside the people of a file', async ({ page, lab }) => {
  const [group] = (await lab.call(USER, 'GET', '/api/groups/my')) as [{ id: number }];
  const { id } = (await lab.call(USER, 'POST', '/api/surveys', {
    title: 'Fees',
    groupId: group.id,
  })) as { id: number };
  const questions = [
    {
      text: 'How fair is it?',
      name: 'fair',
      type: 'RANGE',
      min_value: 1,
      max_value: 7,
      min_description: 'not',
      max_description: 'very',
    },
    { text: 'Would you pay it?', name: 'pay', type: 'BOOLEAN' },
  ];
  for (const question of questions) await lab.call(USER, 'POST', `/api/surveys/${id}/questions`, question);
  const simulation = await run(lab, USER, id, { personaCount: 120, seed: 7 });
  const answers = (await lab.call(
    USER,
    'GET',
    `/api/surveys/${id}/simulation/${simulation}/responses/matrix?limit=120`,
  )) as { personaPid: string; answers: { answerValue: number | boolean }[] }[];
  // Half of the twins have a person, who answers the first question as its twin does; nobody would pay.
  const rows = answers
    .slice(0, 60)
    .map(
      ({ personaPid, answers: [fair] }) =>
        `${personaPid},${String(fair?.answerValue)},No,never,x@test.example`,
    );
  const csv = ['pid,Fair,pay,paid,email', ...rows].join('\n');

  await signedIn(page, lab, USER);
  await visit(page, `/simulation-responses/${id}/${simulation}?tab=people`);
  await page.locator('input[type=file]').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(csv),
  });
  await page.getByRole('button', { name: 'Compare' }).click();
  await expect(page.getByRole('status').filter({ hasText: '60 people' })).toContainText('60 of them pairs');
  const fair = page.getByRole('row', { name: /How fair is it\?/ }).first();
  await expect(fair).toContainText(/1\.00\[1\.00, 1\.00\]/);
  const rectified = page.getByRole('region', { name: 'Rectified estimates' });
  const estimate = rectified.getByRole('row', { name: /fair How fair is it\?/ });
  await expect(estimate).toContainText('60 / 60');
  // Twins who say what their people say are worth nearly as many people as there are others.
  await expect(estimate).toContainText(/1\.00× 0\.\d\d.*The twins are worth \d+ extra people/);
  await page.getByRole('button', { name: /How the file was read: 2 questions matched/ }).click();
  await expect(page.getByText(/email \(/)).toBeVisible();
  await examine(page, 'twins beside people');

  // The other question has another column, and its cells an option, by the keyboard.
  const pay = page.getByRole('combobox', { name: 'Column of pay' });
  await pay.focus();
  await page.keyboard.type('paid');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Compare again' }).press('Enter');
  const cell = page.getByRole('combobox', { name: '“never” of pay' });
  await cell.focus();
  await page.keyboard.press('ArrowDown');
  await page.getByRole('option', { name: 'Yes' }).waitFor({ state: 'attached' });
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Compare again' }).press('Enter');
  const matching = page.getByRole('row', { name: /Would you pay it\?/ }).last();
  await expect(matching).toContainText(/chosen/);
  await expect(matching).not.toContainText('(60)');
  await expect(page.getByRole('row', { name: /Would you pay it\?/ }).first()).toContainText('60');
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await examine(page, 'the matching on a phone');
  await page.setViewportSize({ width: 1440, height: 900 });

  // A kept sample is shown at once, also for a later run, until it is deleted.
  const later = await run(lab, USER, id, { personaCount: 60, seed: 8 });
  await page.goto(`/simulation-responses/${id}/${later}?tab=people`);
  await expect(page.getByRole('status').filter({ hasText: '60 people' })).toBeVisible();
  await page.getByRole('button', { name: 'Rename…' }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('Panel of May');
  await page.getByRole('dialog').getByRole('button', { name: 'Rename' }).click();
  await expect(page.getByText(/^Panel of May: 60 people/).first()).toBeVisible();

  // Rows leave by the author's tick alone, with a word on what that means.
  await page.getByRole('button', { name: 'More formats' }).click();
  await page.getByRole('menuitem', { name: /^Bundle…/ }).click();
  const asked = page.getByRole('dialog', { name: 'Bundle of this run' });
  await asked.getByRole('checkbox', { name: /60 people, a row a person/ }).check();
  await expect(asked.getByText('Only if these people agreed to it')).toBeVisible();
  await examine(page, 'the dialog of a bundle with rows');
  const [zip] = await Promise.all([
    page.waitForEvent('download'),
    asked.getByRole('button', { name: 'Download' }).click(),
  ]);
  expect(await readFile(await zip.path(), 'latin1')).toContain('human/rows.csv');

  await page.getByRole('button', { name: 'Delete…' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
  await expect(page.getByRole('checkbox', { name: 'Keep for this survey' })).toBeChecked();
  await expect(page.getByRole('status').filter({ hasText: '60 people' })).toBeHidden();
  await page.goto(`/simulation-responses/${id}/${simulation}?tab=people`);
  await page.getByRole('checkbox', { name: 'Keep for this survey' }).uncheck();
  await page.locator('input[type=file]').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(csv),
  });
  await page.getByRole('button', { name: 'Compare' }).click();

  await rectified.getByRole('link', { name: 'planner' }).click();
  await page.getByLabel('Difference').fill('0.3');
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await expect(page.getByRole('status')).toContainText('175 people in each of two arms');
  await page.getByText('People and twins', { exact: true }).click();
  for (const [label, value] of [
    ['Correlation', '0.2'],
    ['Price of a person', '5'],
    ['Price of a twin', '0.02'],
    ['As precise as', '400'],
  ] as const)
    await page.getByLabel(label).fill(value);
  await page.getByRole('button', { name: 'Plan', exact: true }).click();
  await expect(page.getByRole('status')).toContainText('389 people with their twins, and 866 more twins');
  await examine(page, 'the planner');
});
