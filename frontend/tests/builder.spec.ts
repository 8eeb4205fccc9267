import type { Page } from '@playwright/test';
import { USER, type Lab } from './support/lab.ts';
import { expect, signedIn, test } from './support/test.ts';

/** Key-strokes that a question may take beyond its text. */
const MOST_KEYS = 15;

/** Types like a person without a mouse, and counts the keys that are not text. */
class Hands {
  keys = 0;

  constructor(private readonly page: Page) {}

  async press(...keys: string[]): Promise<void> {
    for (const key of keys) {
      this.keys += 1;
      await this.page.keyboard.press(key);
    }
  }

  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text);
  }
}

async function newSurvey(lab: Lab, title: string): Promise<number> {
  const [group] = (await lab.call(USER, 'GET', '/api/groups/my')) as [{ id: number }];
  const { id } = (await lab.call(USER, 'POST', '/api/surveys', { title, groupId: group.id })) as {
    id: number;
  };
  return id;
}

test('five questions of five types are written without the mouse, in few keys', async ({ page, lab }) => {
  const id = await newSurvey(lab, 'From the keyboard');
  await signedIn(page, lab, USER);
  await page.goto(`/surveys/${id}`);
  await expect(page.getByText('No questions found')).toBeVisible();
  // Not before it is known whose survey it is.
  await expect(page.getByRole('button', { name: '+ Add Question' })).toBeEnabled();
  const question = async (
    text: string,
    typeKey: string | null,
    fill: (hands: Hands) => Promise<void>,
  ): Promise<void> => {
    const hands = new Hands(page);
    await hands.press('n');
    await expect(page.getByLabel('Question Text')).toBeFocused();
    await hands.type(text);
    if (typeKey !== null) await hands.press(typeKey);
    await fill(hands);
    await hands.press('Control+Enter');
    await expect(page.getByRole('dialog')).toBeHidden();
    await expect(page.getByRole('heading', { name: text })).toBeVisible();
    expect(hands.keys, `${text}: key-strokes beyond the text`).toBeLessThanOrEqual(MOST_KEYS);
  };
  await question('How do you get to work?', null, async (hands) => {
    await hands.press('Tab');
    for (const option of ['Car', 'Bus', 'Bicycle', 'On foot']) {
      await hands.type(option);
      if (option !== 'On foot') await hands.press('Enter');
    }
  });
  await question('What do you read?', 'Alt+2', async (hands) => {
    await hands.press('Tab');
    await hands.type('Papers');
    await hands.press('Enter');
    await hands.type('Novels');
  });
  await question('How are your mornings?', 'Alt+3', async (hands) => {
    await hands.press('Tab', 'Enter');
    await hands.type('They are calm');
    await hands.press('Enter');
    await hands.type('They are short');
  });
  await question('How well did you sleep?', 'Alt+4', async (hands) => {
    await hands.press('Tab');
    await hands.type('0');
    await hands.press('Tab');
    await hands.type('10');
    await hands.press('Tab');
    await hands.type('badly');
    await hands.press('Tab');
    await hands.type('well');
  });
  await question('What did you dream of?', 'Alt+5', async () => undefined);

  const questions = (await lab.call(USER, 'GET', `/api/surveys/${id}/questions`)) as {
    questionType: string;
    options: { text: string }[];
    subQuestions: string[];
    maxValue: number | null;
  }[];
  expect(questions.map(({ questionType }) => questionType)).toEqual([
    'SINGLE_CHOICE',
    'MULTIPLE_CHOICE',
    'MATRIX',
    'SLIDER',
    'TEXT_ENTRY',
  ]);
  expect(questions[0]?.options.map(({ text }) => text)).toEqual(['Car', 'Bus', 'Bicycle', 'On foot']);
  expect(questions[2]?.subQuestions).toEqual(['They are calm', 'They are short']);
  expect(questions[3]?.maxValue).toBe(10);
});
