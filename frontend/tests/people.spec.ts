import { examine } from './support/axe.ts';
import { USER } from './support/lab.ts';
import { run } from './support/surveys.ts';
import { expect, signedIn, test } from './support/test.ts';

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
  const simulation = await run(lab, USER, id, { personaCount: 40, isRandomSelection: true });
  const answers = (await lab.call(
    USER,
    'GET',
    `/api/surveys/${id}/simulation/${simulation}/responses/matrix?limit=100`,
  )) as { personaPid: string; answers: { answerValue: number | boolean }[] }[];
  // Each person answers the first question as its twin does, and nobody would pay.
  const rows = answers.map(
    ({ personaPid, answers: [fair] }) => `${personaPid},${String(fair?.answerValue)},No,x@test.example`,
  );
  const csv = ['pid,Fair,pay,email', ...rows].join('\n');

  await signedIn(page, lab, USER);
  await page.goto(`/simulation-responses/${id}/${simulation}?tab=people`);
  await page.locator('input[type=file]').setInputFiles({
    name: 'people.csv',
    mimeType: 'text/csv',
    buffer: Buffer.from(csv),
  });
  await page.getByRole('button', { name: 'Compare' }).click();
  await expect(page.getByRole('status').filter({ hasText: '40 people' })).toContainText('40 of them pairs');
  const fair = page.getByRole('row', { name: /How fair is it\?/ });
  await expect(fair).toContainText(/1\.00\[1\.00, 1\.00\]/);
  await page.getByRole('button', { name: /How the file was read: 2 questions matched/ }).click();
  await expect(page.getByText(/email \(/)).toBeVisible();
  await examine(page, 'twins beside people');
});
