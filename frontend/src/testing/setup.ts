import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import * as React from 'react';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { forgetAll } from '@/api/hooks';
import { resetModuleState } from '@/api/moduleState';
import { refuseUndeclared, takeUndeclaredCalls } from './server';
import { computedStyle } from './styles';

const SHOWN = '\n\nShown: ';
/** Characters of a page that the error of a query tells. */
const MAX_SHOWN = 2000;
/** How long a query waits for what should come, in milliseconds. */
const WAIT_MS = 60_000;

configure({
  // Pages are loaded when first visited, which takes long on a busy machine; nothing waits longer than it must.
  asyncUtilTimeout: WAIT_MS,
  // Each look of `findBy` or `waitFor` that is too early makes an error, and the library draws the whole page into each.
  getElementError: (message, container) => {
    const said = message ?? '';
    // A document has no text of its own.
    const text = container.textContent ?? document.body.textContent;
    const shown = text.slice(0, MAX_SHOWN);
    const error = new Error(said.includes(SHOWN) ? said : `${said}${SHOWN}${shown}`);
    error.name = 'TestingLibraryElementError';
    return error;
  },
});

// React keeps the stack of each element that it makes, for the words of its warnings: a tenth of the tests' time. It stops
// where it has made many of late.
Object.defineProperty(
  (React as unknown as Record<string, object>)[
    '__CLIENT_INTERNALS_DO_NOT_USE_OR_WARN_USERS_THEY_CANNOT_UPGRADE'
  ],
  'recentlyCreatedOwnerStacks',
  { get: () => Infinity, set: () => undefined },
);

// antd asks for these; jsdom has neither. Nothing moves in tests.
window.matchMedia ??= (query) => ({
  matches: query.includes('reduced-motion'),
  media: query,
  onchange: null,
  addListener: () => undefined,
  removeListener: () => undefined,
  addEventListener: () => undefined,
  removeEventListener: () => undefined,
  dispatchEvent: () => false,
});
globalThis.ResizeObserver ??= class {
  observe() {}
  unobserve() {}
  disconnect() {}
};
// jsdom lays nothing out.
Element.prototype.scrollIntoView ??= () => undefined;
// jsdom's files cannot be read by promise.
Blob.prototype.text ??= function (this: Blob) {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(String(reader.result));
    reader.onerror = () => reject(reader.error ?? new Error('cannot be read'));
    reader.readAsText(this);
  });
};
window.getComputedStyle = computedStyle;
// Browsers answer with a promise by now, whatever the types say: no effect may hand it on as its clean-up.
Object.assign(window, { scrollTo: () => Promise.resolve() });

// jsdom keeps no files in memory.
URL.createObjectURL ??= () => 'blob:file';
URL.revokeObjectURL ??= () => undefined;

// Nothing leaves the process, whenever it is called.
globalThis.fetch = () => Promise.reject(new TypeError('there is no network in tests'));

beforeEach(() => {
  // No console error or warning in any test.
  vi.spyOn(console, 'error');
  vi.spyOn(console, 'warn');
  // Replaced by `mockServer`: this is for tests without one.
  vi.spyOn(globalThis, 'fetch').mockImplementation((input) => {
    const { method, url } = input as Request;
    return Promise.resolve(refuseUndeclared(method, new URL(url).pathname));
  });
});

// The tests of a worker share their modules and their document: nothing of a test stays for the next one.
afterEach(async () => {
  vi.useRealTimers();
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
  delete document.documentElement.dataset.theme;
  resetModuleState();
  await forgetAll();
  const complaints = [console.error, console.warn].flatMap((said) => vi.mocked(said).mock.calls);
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  const undeclared = takeUndeclaredCalls();
  expect(complaints, 'console output').toEqual([]);
  expect(undeclared, 'calls that the test does not declare').toEqual([]);
});
