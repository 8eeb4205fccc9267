import '@testing-library/jest-dom/vitest';
import { cleanup, configure } from '@testing-library/react';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { forgetAll } from '@/api/hooks';

// Pages are loaded when first visited, which takes long on a busy machine; nothing waits longer than it must.
configure({ asyncUtilTimeout: 25_000 });

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
// jsdom knows no pseudo-elements and complains of each question about one; antd asks for the scroll bar's.
const computedStyle = window.getComputedStyle.bind(window);
window.getComputedStyle = (element) => computedStyle(element);
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
