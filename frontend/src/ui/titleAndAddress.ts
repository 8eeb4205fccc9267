import { useEffect } from 'react';
import { useSearchParams } from 'react-router';
import { moduleState } from '@/api/moduleState';

/**
 * The values in the address behind `?`, and a function that changes some of them: null or an empty text removes one.
 * A change takes the place of the last one in the browser's history, unless `replace` says otherwise.
 */
export function useAddress(): [
  URLSearchParams,
  (values: Readonly<Record<string, string | null>>, options?: { replace: boolean }) => void,
] {
  const [address, setAddress] = useSearchParams();
  const change = (values: Readonly<Record<string, string | null>>, options = { replace: true }) =>
    setAddress((before) => {
      const after = new URLSearchParams(before);
      for (const [name, value] of Object.entries(values)) {
        if (value === null || value === '') after.delete(name);
        else after.set(name, value);
      }
      return after;
    }, options);
  return [address, change];
}

/**
 * Opens a dialog by the address alone, so that other pages can link to it: `?create`, or `?create=framing` with a
 * value. Null while it is closed.
 */
export function useOpened(name: string): [string | null, (value: string | null) => void] {
  const [address, setAddress] = useSearchParams();
  const change = (value: string | null) =>
    setAddress(
      (before) => {
        const after = new URLSearchParams(before);
        if (value === null) after.delete(name);
        else after.set(name, value);
        return after;
      },
      { replace: true },
    );
  return [address.get(name), change];
}

/** The page of a table, from 1, as the address says, and what turns it. */
export function usePageInAddress(name = 'page'): [number, (page: number) => void] {
  const [address, change] = useAddress();
  const page = Math.max(1, Math.floor(Number(address.get(name))) || 1);
  const turn = (to: number) => change({ [name]: to === 1 ? null : String(to) }, { replace: false });
  return [page, turn];
}

const PRODUCT = 'Digital Twin Lab';

const state = moduleState({
  /** The text before the title on every page. */
  everywhere: '',
  /** The text that the page puts there instead. */
  ofPage: '',
  title: document.title,
});

/** Sets the title of the browser's tab. A `prefix` takes the place of the one that stands on every page. */
export function useTitle(page: string, prefix = ''): void {
  useEffect(() => {
    state.title = page === PRODUCT ? page : `${page} · ${PRODUCT}`;
    state.ofPage = prefix;
    show();
    return () => {
      state.ofPage = '';
      show();
    };
  }, [page, prefix]);
}

/** Puts a word before the title of every page, as long as the component is there. */
export function useTitlePrefix(prefix: string): void {
  useEffect(() => {
    state.everywhere = prefix;
    show();
    return () => {
      state.everywhere = '';
      show();
    };
  }, [prefix]);
}

function show(): void {
  document.title = [state.ofPage || state.everywhere, state.title].filter(Boolean).join(' ');
}
