import { USER } from './support/lab.ts';
import { expect, signedIn, test } from './support/test.ts';

test.use({ complaints: [/status of 500/] });

test('an order that could not be saved is taken back', async ({ page, lab }) => {
  const [group] = (await lab.call(USER, 'GET', '/api/groups/my')) as [{ id: number }];
  const { id } = (await lab.call(USER, 'POST', '/api/surveys', { title: 'Order', groupId: group.id })) as {
    id: number;
  };
  for (const text of ['First', 'Second']) {
    await lab.call(USER, 'POST', `/api/surveys/${id}/questions`, { text, type: 'OPENENDED' });
  }
  await signedIn(page, lab, USER);
  await page.route('**/questions/order', (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.goto(`/surveys/${id}`);
  await page.getByRole('button', { name: 'Move question 2' }).focus();
  await page.keyboard.press('Space');
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Space');
  await expect(page.getByText('Failed to update question order')).toBeVisible();
  await expect(page.getByRole('article').getByRole('heading')).toHaveText(['First', 'Second']);
});
