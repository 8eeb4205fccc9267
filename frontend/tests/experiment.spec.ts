import type { Page } from '@playwright/test';
import { examine } from './support/axe.ts';
import { USER, type Lab } from './support/lab.ts';
import { run } from './support/surveys.ts';
import { expect, signedIn, test, visit } from './support/test.ts';

async function newSurvey(lab: Lab, title: string): Promise<number> {
  const [group] = (await lab.call(USER, 'GET', '/api/groups/my')) as [{ id: number }];
  const { id } = (await lab.call(USER, 'POST', '/api/surveys', { title, groupId: group.id })) as {
    id: number;
  };
  return id;
}

/** Opens a new question and writes its text and name. */
async function write(page: Page, text: string, name: string): Promise<void> {
  await page.getByRole('button', { name: '+ Add Question' }).click();
  await page.getByLabel('Question Text').fill(text);
  await page.getByLabel('Name', { exact: true }).fill(name);
}

async function done(page: Page, text: string): Promise<void> {
  await page.keyboard.press('Control+Enter');
  await expect(page.getByRole('heading', { name: text })).toBeVisible();
}

/** Chooses an option of one of antd's selects. */
async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click();
  await page.locator('.ant-select-item-option-content', { hasText: option }).last().click();
}

/** Two arms that differ by a text, before the last block. */
async function makeArms(page: Page, name: string, field: string, texts: [string, string]): Promise<void> {
  await page.getByRole('button', { name: 'Arms wizard' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Name of the arms').fill(name);
  await choose(page, 'Before the block', 'main');
  await dialog.getByLabel('Field', { exact: true }).fill(field);
  await dialog.getByLabel('Text of arm 1').fill(texts[0]);
  await dialog.getByLabel('Text of arm 2').fill(texts[1]);
  await dialog.getByRole('button', { name: 'Make arms' }).click();
  await expect(page.getByRole('article', { name: `Random ${name}` })).toBeVisible();
}

// A design has no price until every field that its texts name is set.
test.use({ complaints: [/status of 400/] });

test('a 2 x 2 with screening, piping and an attention check is built in the browser', async ({
  page,
  lab,
}) => {
  const id = await newSurvey(lab, 'Hotel fees');
  await signedIn(page, lab, USER);
  await visit(page, `/surveys/${id}`);
  await write(page, 'Do you ever book hotels?', 'ok');
  await page.getByRole('textbox', { name: 'Option 1' }).fill('Yes');
  await page.getByRole('textbox', { name: 'Option 2' }).fill('No');
  await done(page, 'Do you ever book hotels?');

  await write(page, 'How fair is it?', 'fair');
  await page.keyboard.press('Alt+4');
  await page.getByLabel('Minimum value').fill('1');
  await page.getByLabel('Maximum value').fill('7');
  await page.getByLabel('Minimum description').fill('not at all');
  await page.getByLabel('Maximum description').fill('very');
  await done(page, 'How fair is it?');

  await write(page, 'To show that you read this, choose Blue.', 'att');
  await page.getByRole('textbox', { name: 'Option 1' }).fill('Red');
  await page.getByRole('textbox', { name: 'Option 2' }).fill('Blue');
  await page.getByRole('button', { name: /Logic/ }).click();
  await page.getByRole('checkbox', { name: 'Attention check' }).check();
  await choose(page, 'Passed by', 'Blue');
  await done(page, 'To show that you read this');

  await page.getByRole('tab', { name: 'Flow' }).click();
  await expect(page).toHaveURL(/\?tab=flow$/);
  await examine(page, 'the flow of a plain survey');
  await page.getByRole('button', { name: 'Screening' }).click();
  await expect(page.getByRole('article', { name: 'If' })).toContainText('ok is No');
  await makeArms(page, 'fee_arm', 'fee', ['a resort fee', 'a service fee']);
  await makeArms(page, 'frame_arm', 'frame', ['at check-out', 'at booking']);
  await page.getByLabel('Show the sizes of arms for').fill('80');
  await expect(page.getByRole('region', { name: 'Arm control of fee_arm' })).toContainText('40 twins');

  // What the arms say is inserted by name.
  await page.getByRole('tab', { name: 'Questions' }).click();
  await page.getByRole('button', { name: 'Edit question 2' }).click();
  const text = page.getByLabel('Question Text');
  await text.fill('');
  await text.pressSequentially('How fair is {{fe');
  await expect(page.getByRole('option', { name: 'field:fee Field or arm' })).toBeVisible();
  await page.keyboard.press('Enter');
  await text.pressSequentially(' {{fr');
  await expect(page.getByRole('option').first()).toHaveAttribute('aria-selected', 'true');
  await page.keyboard.press('Enter');
  await expect(text).toHaveValue('How fair is {{field:fee}} {{field:frame}}');
  await done(page, 'How fair is fee frame');

  await page.getByRole('tab', { name: 'Flow' }).click();
  await expect(page.getByText('Nothing is wrong')).toBeVisible();
  await expect(page.getByText('3 requests')).toBeVisible();
  await examine(page, 'the flow of an experiment');
  const { flow } = (await lab.call(USER, 'GET', `/api/surveys/${id}/design`)) as { flow: object[] };
  expect(flow).toEqual([
    { block: 'screen', questions: ['ok'] },
    { if: { answer: 'ok', is: 'No' }, then: [{ end: 'screened_out' }] },
    {
      random: 'fee_arm',
      take: 1,
      of: [
        { arm: 'control', flow: [{ set: { fee: 'a resort fee' } }] },
        { arm: 'treatment', flow: [{ set: { fee: 'a service fee' } }] },
      ],
    },
    {
      random: 'frame_arm',
      take: 1,
      of: [
        { arm: 'control', flow: [{ set: { frame: 'at check-out' } }] },
        { arm: 'treatment', flow: [{ set: { frame: 'at booking' } }] },
      ],
    },
    { block: 'main', questions: ['fair', 'att'] },
  ]);

  await page.getByRole('tab', { name: 'JSON' }).click();
  await expect(page.getByLabel('Flow as JSON')).toHaveValue(/"random": "frame_arm"/);
  await examine(page, 'the JSON of an experiment');

  await page.getByRole('tab', { name: 'Flow' }).click();
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  await expect(page.getByLabel('Dealt')).toContainText(/fee_arm(control|treatment)frame_arm/);
  await choose(page, 'fee_arm', 'treatment');
  await expect(page.getByLabel('Dealt')).toContainText('fee_armtreatment');
  await expect(page.getByRole('list', { name: 'Questions shown' })).toContainText('Do you ever book hotels?');
  await page.getByText('As prompt').click();
  await expect(page.getByLabel('User, call 1')).toContainText('Do you ever book hotels?');
  await examine(page, 'the preview of an experiment');

  const simulation = await run(lab, USER, id, { personaCount: 80, isRandomSelection: true });
  await visit(page, `/simulation-responses/${id}/${simulation}?tab=overview`);
  const arms = page.getByRole('row', { name: /fee_arm (control|treatment) 40/ });
  await expect(arms).toHaveCount(2);
  await expect(page.getByRole('region', { name: 'Diagnostics' })).toContainText(/checks? within/);
  await examine(page, 'the diagnostics of a run');
  const { failedRequests, totalRequests, successfulRequests, skippedRequests } = (await lab.call(
    USER,
    'GET',
    `/api/simulations/${simulation}`,
  )) as Record<string, number>;
  expect(failedRequests).toBe(0);

  // The effect, with its interval.
  await visit(page, `/simulation-responses/${id}/${simulation}?tab=charts`);
  await choose(page, 'Split by', 'fee_arm');
  await expect(page).toHaveURL(/by=fee_arm/);
  const fair = page.getByRole('region', { name: 'Question 2' });
  await expect(fair).toContainText(
    /Mean: treatment − control: [+−]\d\.\d\d \(95 % CI [+−]\d\.\d\d to [+−]\d\.\d\d\)/,
  );
  await examine(page, 'charts by arm');
  expect(totalRequests).toBe(80 * 3);
  expect(Number(successfulRequests) + Number(skippedRequests)).toBe(totalRequests);
});
