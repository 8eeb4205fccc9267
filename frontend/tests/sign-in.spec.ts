import { expect, signedIn, test } from './support/test.ts';
import { USER } from './support/lab.ts';

test('one signs in with the code of the mail, comes home, and signs out', async ({ page, lab }) => {
  await page.clock.install();
  const before = (await lab.codes(USER)).length;
  await page.goto('/login');
  await page.getByLabel('Email').fill(USER);
  await page.getByRole('button', { name: 'Send Verification Code' }).click();
  await expect(page.getByText('Verification code sent successfully! Check your email.')).toBeVisible();
  await expect(page.getByText(`We sent a verification code to ${USER}`)).toBeVisible();
  const code = await lab.code(USER, before);
  // The message stays for half a second: long enough for people, too short for a busy machine to be sure of.
  await page.clock.pauseAt(new Date(Date.now() + 600_000));
  await page.getByLabel('Verification code').fill(`${code.slice(0, 3)} ${code.slice(3)}`);
  await expect(page.getByText('Login successful! Redirecting...')).toBeVisible();
  await expect(page).toHaveURL('/login');
  await page.clock.runFor(500);
  await page.clock.resume();
  await expect(page).toHaveURL('/my-groups');

  await page.goto('/');
  await expect(page.getByText('Signed in as')).toBeHidden();
  await page.getByRole('button', { name: /Demo User|user@demo/ }).click();
  await expect(page.getByText('Signed in as')).toBeVisible();
  await page.getByRole('link', { name: 'Profile' }).click();
  await expect(page.getByText(USER).first()).toBeVisible();
  await page.getByRole('button', { name: 'Sign out' }).click();
  await expect(page).toHaveURL('/login');
  expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull();
});

test.describe('refusals', () => {
  test.use({ complaints: [/status of 401/] });

  test('a wrong code is refused in the words of the server', async ({ page }) => {
    await page.goto('/login');
    await page.getByLabel('Email').fill('nobody@nowhere.example');
    await page.getByRole('button', { name: 'Send Verification Code' }).click();
    await page.getByLabel('Verification code').fill('000000');
    await expect(page.getByText(/Invalid or expired verification code/)).toBeVisible();
    await expect(page).toHaveURL('/login');
  });

  test('a session that the server does not know any more ends at the sign-in', async ({ page, lab }) => {
    await signedIn(page, lab, USER);
    await page.goto('/profile');
    await expect(page.getByLabel('Full Name')).toBeVisible();
    await page.evaluate(() => {
      const [head, claims] = (localStorage.getItem('token') ?? '').split('.');
      localStorage.setItem('token', `${head}.${claims}.forged`);
    });
    await page.reload();
    await expect(page).toHaveURL('/login?next=%2Fprofile');
    await expect(page.getByText('Your session ended; sign in to go on')).toBeVisible();
    expect(await page.evaluate(() => localStorage.getItem('token'))).toBeNull();
  });
});
