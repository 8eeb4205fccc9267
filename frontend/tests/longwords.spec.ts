import type { Page } from '@playwright/test';
import { SUPER_ADMIN, USER, type Lab } from './support/lab.ts';
import { importSurvey, run } from './support/surveys.ts';
import { expect, signedIn, test, visit } from './support/test.ts';

const AUTHOR = 'words@college.example';
const WIDE = 1440;
const WIDTHS = [WIDE, 1024, 390];

/** A word without a space or a hyphen: nothing but the letters says where it may break. */
const word = (letters: number, letter: string) => letter.repeat(letters);
/** An e-mail address with the maximum length of each part. */
const address = `${word(64, 'e')}@${word(63, 'm')}.${word(63, 'a')}.example`;

interface Made {
  group: number;
  survey: number;
  draft: number;
  runs: [string, string];
  link: string;
}

/** Everything that has a name of somebody's choice has the longest one. */
async function longNames(lab: Lab): Promise<Made> {
  const { id: group } = (await lab.call(SUPER_ADMIN, 'POST', '/api/groups', {
    group_name: word(200, 'G'),
    default_budget_per_user: 10_000,
    owner_email: address,
  })) as { id: number };
  for (const email of [AUTHOR, USER, `x${address.slice(1)}`]) {
    await lab.call(SUPER_ADMIN, 'POST', `/api/groups/${group}/members`, { email });
  }
  await lab.call(AUTHOR, 'PUT', '/api/auth/profile', { name: word(200, 'N') });
  await lab.call(null, 'POST', '/api/auth/request-group', {
    email: `y${address.slice(1)}`,
    instituteName: word(200, 'I'),
    description: word(300, 'D'),
  });
  const questions = [
    { text: word(300, 'Q'), type: 'SINGLE_CHOICE', options: [word(300, 'o'), word(300, 'p')] },
    { text: word(300, 'R'), type: 'MULTIPLE_CHOICE', options: [word(300, 's'), word(300, 't'), 'short'] },
    {
      text: word(300, 'M'),
      type: 'MATRIX',
      scale_labels: [word(300, 'u'), 'Neutral', word(300, 'v')],
      sub_questions: [word(300, 'w'), word(300, 'x')],
    },
    {
      text: word(300, 'S'),
      type: 'SLIDER',
      min_value: 0,
      max_value: 100,
      min_description: word(300, 'y'),
      max_description: word(300, 'z'),
    },
    { text: word(300, 'T'), type: 'TEXT_ENTRY' },
  ];
  const file = { title: word(300, 'V'), description: word(300, 'W'), questions };
  const survey = await importSurvey(lab, AUTHOR, file, group);
  const draft = await importSurvey(lab, AUTHOR, file, group);
  await lab.call(AUTHOR, 'PATCH', `/api/surveys/${survey}/toggle-visibility`);
  const named = { personaCount: 12, name: word(120, 'L'), note: word(300, 'K') };
  const runs: [string, string] = [
    await run(lab, AUTHOR, survey, named),
    await run(lab, AUTHOR, survey, { ...named, name: word(120, 'J') }),
  ];
  const { path } = (await lab.call(AUTHOR, 'POST', `/api/simulations/${runs[0]}/share`, {})) as {
    path: string;
  };
  return { group, survey, draft, runs, link: path };
}

test('words without an end break where they must, and nothing is pushed out of sight', async ({
  page,
  visitAs,
  lab,
}) => {
  const { group, survey, draft, runs, link } = await longNames(lab);
  const results = `/simulation-responses/${survey}/${runs[0]}`;
  const tooWide: string[] = [];

  await signedIn(page, lab, AUTHOR);
  for (const at of [
    '/dashboard',
    '/my-groups',
    `/surveys/${survey}`,
    '/survey-builder',
    `/surveys/${draft}`,
    '/simulation-history',
    `/simulation-history?survey=${survey}`,
    '/transactions',
    '/profile',
    `${results}?tab=charts&by=Gender`,
    `/compare?runs=${runs.join(',')}`,
    `${results}/present?q=1`,
    link,
  ]) {
    await visit(page, at);
    await settled(page);
    tooWide.push(...(await overflowing(page, at)));
  }
  tooWide.push(
    ...(await behindTabs(page, results, [
      'Overview',
      'Charts',
      'Matrix View',
      'List View',
      'Survey Questions',
      'Details',
    ])),
  );

  await visit(page, `/surveys/${draft}`);
  for (const [open, what] of [
    ['Edit question 1', 'an open card'],
    ['Preview', 'the preview'],
    ['Start', 'the start'],
  ] as const) {
    await widen(page, WIDE);
    await page.getByRole('button', { name: open, exact: true }).click();
    await expect(page.getByRole('dialog')).toBeVisible();
    tooWide.push(...(await overflowing(page, what)));
    const logic = page.getByRole('dialog').getByRole('button', { name: /Logic/ });
    await widen(page, WIDE);
    if (await logic.isVisible()) {
      await logic.click();
      await expect(page.getByLabel('Order of the options')).toBeVisible();
      tooWide.push(...(await overflowing(page, 'logic')));
    }
    await page.keyboard.press('Escape');
    await expect(page.getByRole('dialog')).toBeHidden();
  }

  // A super admin sees everybody's.
  const admin = await visitAs(SUPER_ADMIN);
  for (const at of ['/dashboard', '/groups', '/admin', '/transactions', '/simulation-history']) {
    await visit(admin, at);
    await settled(admin);
    tooWide.push(...(await overflowing(admin, `${at} (super admin)`)));
  }
  const tabs = ['Members', 'Surveys', 'Runs', 'Usage'];
  tooWide.push(...(await behindTabs(admin, `/groups/${group}/manage-members`, tabs)));
  // What is public in a group, as its members see it.
  const member = await visitAs(USER);
  await visit(member, '/survey-builder');
  await settled(member);
  tooWide.push(...(await overflowing(member, '/survey-builder (member)')));
  expect(tooWide).toEqual([]);
});

async function settled(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText(/^(Loading|Counting)/)).toHaveCount(0);
}

/** Returns the elements that are too wide behind each tab of a page. */
async function behindTabs(page: Page, at: string, tabs: string[]): Promise<string[]> {
  const found: string[] = [];
  await visit(page, at);
  for (const name of tabs) {
    // A phone has some of them in a menu.
    await widen(page, WIDE);
    const tab = page.getByRole('tab', { name, exact: true });
    await tab.click();
    await expect(tab).toHaveAttribute('aria-selected', 'true');
    await settled(page);
    found.push(...(await overflowing(page, `${at} ${name}`)));
  }
  return found;
}

/**
 * Whether the page, or a part of it, is wider than its place at one of the widths. Begins with the width that the window
 * has: each change of it draws the page anew.
 */
async function overflowing(page: Page, what: string): Promise<string[]> {
  const found: string[] = [];
  const widths = page.viewportSize()?.width === WIDE ? WIDTHS : WIDTHS.toReversed();
  for (const width of widths) {
    await widen(page, width);
    const wide = () =>
      page.evaluate(() => {
        const parts = [
          document.documentElement,
          ...document.querySelectorAll('.panel, .ant-modal-body, article'),
        ];
        const over = parts.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1);
        return over.map(
          (part) => `${part.tagName}.${part.className} ${part.scrollWidth} > ${part.clientWidth}`,
        );
      });
    // Charts and tables are laid out anew a moment after the window.
    await expect
      .poll(wide, { intervals: [50, 100, 250] })
      .toEqual([])
      .catch(async () => found.push(`${what} at ${width}: ${(await wide()).join(', ')}`));
  }
  return found;
}

async function widen(page: Page, width: number): Promise<void> {
  if (page.viewportSize()?.width !== width) await page.setViewportSize({ width, height: 900 });
}
