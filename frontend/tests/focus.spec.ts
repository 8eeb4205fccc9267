import type { Locator, Page } from '@playwright/test';
import { people, USER, type Lab } from './support/lab.ts';
import { expect, inTheme, signedIn, test, visit, type Theme } from './support/test.ts';

/** More than any page has; a page on which the focus never comes round fails. */
const MAX_STOPS = 200;

const pages = {
  super_admin: ['/dashboard', '/groups', '/admin', '/groups/1/manage-members', '/transactions'],
  admin: ['/my-groups', '/profile', '/settings'],
  user: ['/survey-builder', '/surveys/1', '/simulation-history', '/my-groups', '/transactions'],
} as const;

// The dark theme has the same controls in other colours: one role's pages have every kind.
const themes = { super_admin: ['light'], admin: ['light'], user: ['light', 'dark'] } as const;

test('the focus can be seen wherever a visitor takes it', async ({ page }) => {
  for (const address of ['/', '/login', '/get-started', '/about']) {
    await visit(page, address);
    for (const theme of ['light', 'dark'] as const) await walk(page, theme);
  }
});

for (const role of ['super_admin', 'admin', 'user'] as const) {
  test(`the focus can be seen wherever a ${role} takes it`, async ({ page, lab }) => {
    await signedIn(page, lab, people[role]);
    const [first, ...others] = pages[role];
    await visit(page, first);
    for (const theme of themes[role]) await walk(page, theme);
    // The menu is the same on every page. Everybody's answers look the same.
    for (const address of role === 'user' ? [...others, await lab.responses()] : others) {
      await visit(page, address);
      for (const theme of themes[role]) await walk(page, theme, page.getByRole('main'));
    }
  });
}

/**
 * Walks from control to control by the tab key, until it returns to the first. Each must look different with the focus.
 * Begins at the focus, or at the beginning of a part.
 */
async function walk(page: Page, theme: Theme, from?: Locator): Promise<void> {
  await loaded(page);
  await inTheme(page, theme);
  await from?.focus();
  const met = new Set<string>();
  for (let stop = 0; stop < MAX_STOPS; stop++) {
    await page.keyboard.press('Tab');
    const { name, seen } = await focused(page);
    if (name === null || met.has(name)) {
      expect(met.size, `${page.url()}: what takes the focus`).toBeGreaterThan(0);
      return;
    }
    met.add(name);
    expect(seen, `${page.url()}, ${theme}: ${name}`).toBe(true);
  }
  throw new Error(`${page.url()}: the focus does not come round`);
}

async function loaded(page: Page): Promise<void> {
  await expect(page.getByRole('heading', { level: 1 })).toBeVisible();
  await expect(page.getByText(/^Loading/)).toHaveCount(0);
}

/**
 * Returns the element with the focus, and whether it or an element around or beside it looks different with the focus.
 */
function focused(page: Page): Promise<{ name: string | null; seen: boolean }> {
  return page.evaluate(async () => {
    const has = document.activeElement;
    if (!(has instanceof HTMLElement) || has === document.body) return { name: null, seen: true };
    const around = [has, has.parentElement, has.closest('.ant-select, .ant-input-number, .ant-table-cell')];
    const beside = [has.nextElementSibling, has.parentElement?.querySelector('label')];
    const drawn = [...around, ...beside].filter((element) => element instanceof Element);
    const look = async () => {
      await new Promise((through) => setTimeout(through));
      for (const change of document.getAnimations()) if (change instanceof CSSTransition) change.finish();
      const styles = drawn.map((element) => getComputedStyle(element));
      return styles.map((style) => [style.outline, style.boxShadow, style.borderColor].join()).join(';');
    };
    const withFocus = await look();
    has.blur();
    const without = await look();
    has.focus();
    const place = [...document.querySelectorAll('*')].indexOf(has);
    return { name: `${place} ${has.outerHTML.slice(0, 160)}`, seen: withFocus !== without };
  });
}

interface Opening {
  address: string;
  /** Name of the control that opens the dialog. */
  opener: string;
  /** Name of the button that closes the dialog, instead of the escape key. */
  button?: string;
}

const dialogs: Record<keyof typeof people, Opening[]> = {
  super_admin: [
    { address: '/groups', opener: 'Add Group' },
    { address: '/groups', opener: 'Edit Group', button: 'Cancel' },
  ],
  admin: [{ address: '/groups/1/manage-members', opener: 'Remove Member' }],
  user: [
    { address: '/survey-builder', opener: 'Create Survey' },
    { address: '/survey-builder', opener: 'Duplicate Survey', button: 'Cancel' },
    { address: '/survey-builder', opener: 'Start Simulation' },
    { address: '/simulation-history', opener: 'Runs of this survey' },
    { address: '/settings', opener: 'Delete Account', button: 'Cancel' },
  ],
};

for (const role of ['super_admin', 'admin', 'user'] as const) {
  test(`the focus goes into the dialogs of a ${role} and back to what opened them`, async ({ page, lab }) => {
    await signedIn(page, lab, people[role]);
    let shown: string | null = null;
    for (const { address, opener, button } of dialogs[role]) {
      if (address !== shown) await visit(page, address);
      shown = address;
      await test.step(opener, () => comesBack(page, opener, button));
    }
    if (role !== 'user') return;
    await visit(page, `/surveys/${await draftSurvey(lab)}`);
    await comesBack(page, '+ Add Question');
    await comesBack(page, 'Edit question 1', 'Cancel');
    await comesBack(page, 'Delete question 1');
  });
}

/** Opens a dialog by the keyboard and closes it. */
async function comesBack(page: Page, name: string, button?: string): Promise<void> {
  await loaded(page);
  const opener = page.getByRole('button', { name, exact: true }).first();
  await expect(opener).toBeEnabled();
  await opener.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog');
  await expect(dialog).toBeVisible();
  await expect.poll(() => dialog.evaluate((box) => box.contains(document.activeElement))).toBe(true);
  if (button === undefined) await page.keyboard.press('Escape');
  else await dialog.getByRole('button', { name: button }).press('Enter');
  await expect(dialog).toBeHidden();
  await expect(opener).toBeFocused();
}

async function draftSurvey(lab: Lab): Promise<number> {
  const [group] = (await lab.call(USER, 'GET', '/api/groups/my')) as [{ id: number }];
  const survey = { title: 'To be written', groupId: group.id };
  const { id } = (await lab.call(USER, 'POST', '/api/surveys', survey)) as { id: number };
  await lab.call(USER, 'POST', `/api/surveys/${id}/questions`, { text: 'Why?', type: 'TEXT_ENTRY' });
  return id;
}
