import { USER } from './support/lab.ts';
import { importSurvey } from './support/surveys.ts';
import { expect, signedIn, test, visit } from './support/test.ts';

const TWINS = 10;
const usual = { prompt: 1000, completion: 1000 };
const prices = {
  currency: 'USD',
  models: { 'twinlab-demo': { ...usual, batch: { prompt: 500, completion: 500 } } },
};

test.use({ gated: true, prices });

test('a run at half price says what it waits for, and its answers come with the batch', async ({
  page,
  lab,
  model,
}) => {
  await importSurvey(lab, USER, {
    title: 'Evenings',
    questions: [{ name: 'reads', type: 'BOOLEAN', text: 'Do you read in the evening?' }],
  });
  await signedIn(page, lab, USER);
  await visit(page, '/survey-builder');
  await page.getByRole('button', { name: 'Start Simulation' }).first().click();
  const start = page.getByRole('dialog', { name: 'Start Simulation' });
  await start.getByLabel('Number of digital twins').fill(String(TWINS));
  const money = start.locator('.estimate dt:text-is("Money, about") + dd');
  const least = async () => Number(/[\d.]+/.exec((await money.textContent()) ?? '')?.[0]);
  await expect(start.locator('.estimate dt:text-is("Credits needed") + dd')).toHaveText(String(TWINS));
  const whole = await least();
  await start.getByRole('checkbox', { name: 'Half price, within a day' }).check();
  await expect.poll(least).toBeCloseTo(whole / 2, 1);
  await expect(start).toContainText('Timewithin a day');

  // The file and the batch; what has become of it waits at the gate.
  model?.allow(2);
  await start.getByRole('button', { name: 'Start Simulation' }).click();
  await expect(page).toHaveURL('/simulation-history');
  const [run] = (await lab.call(USER, 'GET', '/api/simulations')) as [
    { surveyId: number; simulationId: string },
  ];
  await visit(page, `/simulation-responses/${run.surveyId}/${run.simulationId}`);
  const waiting = page.getByRole('status').filter({ hasText: 'Waiting for a batch' });
  await expect(waiting).toContainText(`the model server has done 0 of ${TWINS} calls in batches`);

  const progress = page.getByRole('region', { name: 'Progress' });
  await expect(progress).toContainText('Done within a day');

  model?.allow(Infinity);
  await expect(progress).toContainText('Completed');
  await page.getByRole('tab', { name: 'Charts' }).click();
  const question = page.getByRole('region', { name: 'Question 1', exact: true });
  await expect(question).toContainText(`n = ${TWINS}`);
});
