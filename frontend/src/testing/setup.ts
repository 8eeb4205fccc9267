import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { forgetAll } from '@/api/hooks';
import { computedStyle } from './styles';

const SHOWN = '\n\nShown: ';
/** Characters of a page that the error of a query tells. */
const MAX_SHOWN = 2000;

configure({
  // Pages are loaded when first visited, which takes long on a busy machine; nothing waits longer than it must.
  asyncUtilTimeout: 20_000,
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

// No console error or warning in any test.
beforeEach(() => {
  vi.spyOn(console, 'error');
  vi.spyOn(console, 'warn');
});

afterEach(async () => {
  cleanup();
  localStorage.clear();
  sessionStorage.clear();
  await forgetAll();
  const complaints = [console.error, console.warn].flatMap((said) => vi.mocked(said).mock.calls);
  vi.restoreAllMocks();
  expect(complaints).toEqual([]);
});
