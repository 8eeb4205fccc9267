import { readFile } from 'node:fs/promises';
import type { Locator, Page } from '@playwright/test';
import { examine } from './support/axe.ts';
import { people } from './support/lab.ts';
import { expect, signedIn, test, visit } from './support/test.ts';

// Axe must see colours as they stay; bars are measured where they end.
test.use({ permissions: ['clipboard-read', 'clipboard-write'] });

test('the answers say who takes the bus, by gender, in three clicks, and in every form a chart can take', async ({
  page,
  lab,
}) => {
  await signedIn(page, lab, people.user);
  await visit(page, await lab.responses());
  await page.getByRole('tab', { name: 'Charts' }).click();
  await page.getByLabel('Split by').click();
  await page.getByTitle('Gender', { exact: true }).click();
  const bus = chart(page, 1);
  await expect(
    bus.locator('.drawing title').filter({ hasText: /^Female: [\d.]+ % \(\d+ of \d+\)$/ }),
  ).not.toHaveCount(0);
  await expect(bus).toContainText(
    /χ²\(4\) = [\d.]+, p [<=>] \.\d+ \(Holm over \d+ tests\), V [<=] \.\d+ \(\w+, 95 % CI \.\d+ to \.\d+\)/,
  );
  await expect(page).toHaveURL(/[?&]by=Gender/);

  await test.step('a filter comes and goes by keyboard, and stays in the address', async () => {
    await page.getByLabel('Filter', { exact: true }).focus();
    await page.keyboard.type('Q7: Yes');
    await page.keyboard.press('Enter');
    const chip = page.getByRole('button', { name: 'Remove filter Q7: Yes' });
    await expect(chip).toBeVisible();
    await expect(page.getByText(/^\d+ of 100 twins \([\d.]+ %\)$/)).toBeVisible();
    await page.reload();
    await page.getByRole('tab', { name: 'Charts' }).click();
    await expect(chart(page, 1)).toContainText('after the filter');
    await chip.press('Enter');
    await expect(chip).toHaveCount(0);
    await expect(chart(page, 1)).not.toContainText('after the filter');
  });

  await test.step('it is a picture, a file, a table', async () => {
    const svg = await saved(page, bus, 'SVG');
    expect(svg.toString()).toContain('How do you usually get to work');
    expect(svg.toString()).not.toMatch(/var\(|color-mix/);
    const png = await saved(page, bus, 'PNG');
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(png.readUInt32BE(16)).toBeGreaterThan(2000);
    const csv = await saved(page, bus, 'CSV');
    expect(csv.toString()).toMatch(/,By public transport,Female,\d+,\d+,0\.\d+,0\.\d+,0\.\d+,,,/);
    await choose(page, bus, 'Copy table');
    await expect(page.getByText('Copied')).toBeVisible();
    expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(
      /^Answer\tAll twins\tMale\tFemale\n/,
    );
    await choose(page, bus, 'Show as table');
    await expect(bus.getByRole('columnheader', { name: 'Female' })).toBeVisible();
    await examine(page, 'a table', '.charts');
    await choose(page, bus, 'Show as chart');
  });

  await test.step('any question divides the others; who is in several groups is not tested', async () => {
    await visit(page, `${await lab.responses()}?tab=charts&by=question:2`);
    await expect(chart(page, 1)).toContainText(
      'No test: twins who chose several answers are in several groups.',
    );
    await expect(chart(page, 2)).toContainText('The groups are made by this question.');
  });

  await test.step('a row of a matrix and a number divide too, as a split and as a filter', async () => {
    const summary = `/api/surveys/1/simulation/${(await lab.responses()).split('/').at(-1)}/summary`;
    const { questions } = (await lab.call(people.user, 'GET', summary)) as {
      questions: {
        questionId: number;
        order: number;
        questionType: string;
        bins: { from: number; to: number; count: number }[];
      }[];
    };
    const matrix = questions.find(({ questionType }) => questionType === 'MATRIX');
    const number = questions.find(({ bins }) => bins.some(({ from, to }) => from < to));
    const bin = number?.bins.find(({ count }) => count > 0);
    const name = `Q${number?.order}: ${bin?.from} to ${bin?.to}`;
    await visit(page, `${await lab.responses()}?tab=charts&by=question:${matrix?.questionId}:row:1`);
    await expect(page.getByText(/^Widest|by Q\d+ \S/).first()).toBeVisible();
    // Only rows of a matrix have such a dot in their names; the second one follows the first.
    await page.getByLabel('Split by').focus();
    await page.keyboard.type(' · ');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect(page).toHaveURL(/by=question%3A\d+%3Arow%3A2/);
    await visit(page, `${await lab.responses()}?tab=charts&by=question:${number?.questionId}`);
    await expect(page.getByText('The groups are made by this question.')).toBeVisible();
    await page.getByLabel('Filter', { exact: true }).focus();
    await page.keyboard.type(name);
    await page.keyboard.press('Enter');
    await expect(page.getByRole('button', { name: `Remove filter ${name}` })).toBeVisible();
    await expect(page.getByText(`${bin?.count} of 100 twins`)).toBeVisible();
  });

  for (const [width, by] of [
    [1024, 'Political views'],
    [390, 'Religion'],
  ] as const) {
    await test.step(`${width} pixels, by ${by}`, async () => {
      await page.setViewportSize({ width, height: 900 });
      await visit(page, `${await lab.responses()}?tab=charts&by=${by}`);
      await expect(page.getByText(`by ${by}`).first()).toBeVisible();
      await expect(chart(page, 9)).toBeAttached();
      for (const each of await page.locator('.chart').all()) await each.scrollIntoViewIfNeeded();
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
      // Both have the same marks. With many groups, axe takes longer than all the rest of the step.
      if (width === 390) await examine(page, `charts by ${by}`, '.charts');
    });
  }
});

const chart = (page: Page, order: number) =>
  page.getByRole('region', { name: `Question ${order}`, exact: true });

async function choose(page: Page, of: Locator, name: string): Promise<void> {
  await of.getByRole('button', { name: /^More about question/ }).click();
  await page.getByRole('menuitem', { name: new RegExp(`^${name}`) }).click();
}

async function saved(page: Page, of: Locator, form: string): Promise<Buffer> {
  const [download] = await Promise.all([page.waitForEvent('download'), choose(page, of, form)]);
  expect(download.suggestedFilename()).toMatch(new RegExp(`^question-1-[^/]+\\.${form.toLowerCase()}$`));
  return readFile(await download.path());
}
