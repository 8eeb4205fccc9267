import { createCache, StyleProvider } from '@ant-design/cssinjs';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent, { type UserEvent } from '@testing-library/user-event';
import { ConfigProvider } from 'antd';
import type { ReactNode } from 'react';
import { createMemoryRouter, RouterProvider } from 'react-router';
import { SWRConfig } from 'swr';
import { expect } from 'vitest';
import type { Role } from '@/api/types';
import { routes } from '@/routes';

/** Takes antd's style sheets: thousands of rules that jsdom would read. */
const unused = document.createElement('div');

/** antd's styles. A page that goes would take them along, and each page would make them anew: a sixth of the tests' time. */
const styles = createCache();
const update = styles.opUpdate.bind(styles);
styles.opUpdate = (path, change) => {
  update(path, (known) => change(known) ?? [0, known?.[1]]);
};

/** Components of antd, which make no style sheets; only a browser shows them. */
export function Unstyled({ children }: { children: ReactNode }) {
  return (
    <StyleProvider cache={styles} container={unused} mock="server">
      <ConfigProvider theme={{ zeroRuntime: true }}>{children}</ConfigProvider>
    </StyleProvider>
  );
}

/** SWR's own default, which the product runs with: for tests of how often something is asked. */
export const PRODUCT_DEDUPING_MS = 2000;

/** The hands of a user. What is clicked is not passed over by the mouse before, which no test is about. */
export const newUser = () => userEvent.setup({ skipHover: true });

/** Writes a text at the end of a field, at once: each key would draw the page anew, several times. */
export async function fill(user: UserEvent, field: Element, text: string) {
  await user.click(field);
  await user.paste(text);
}

/**
 * The whole app at an address; returns the hands of a user and the router. `dedupingInterval` is SWR's, in
 * milliseconds.
 */
export function visit(address: string, dedupingInterval = 0) {
  const router = createMemoryRouter(routes, { initialEntries: [address] });
  const user = newUser();
  // A request of the test before, ended less than two seconds ago, must not stand in for one of this test.
  render(
    <SWRConfig value={{ provider: () => new Map(), dedupingInterval }}>
      <Unstyled>
        <RouterProvider router={router} />
      </Unstyled>
    </SWRConfig>,
  );
  return { user, router, path: () => router.state.location.pathname };
}

/** Signs someone in, as the server's token would. */
export function signInAs(role: Role, { email = `${role}@example.org`, name = 'Ada', id = 1 } = {}) {
  const part = (value: object) => btoa(JSON.stringify(value)).replaceAll('=', '');
  const claims = { sub: String(id), email, role, name, exp: Math.floor(Date.now() / 1000) + 3600 };
  localStorage.setItem('token', `${part({ alg: 'HS256' })}.${part(claims)}.signature`);
}

/** The open dialog, once it can be seen: antd's first frame of one is see-through, also where nothing moves. */
export async function shownDialog() {
  const dialog = await screen.findByRole('dialog');
  await waitFor(() => {
    expect(dialog).toBeVisible();
  });
  return dialog;
}

/** Chooses an option of one of antd's selects. */
export async function choose(user: UserEvent, label: string, option: string) {
  await user.click(screen.getByRole('combobox', { name: label }));
  const shown = await screen.findAllByText(option, { selector: '.ant-select-item-option-content' });
  await user.click(shown.at(-1) as HTMLElement);
}
