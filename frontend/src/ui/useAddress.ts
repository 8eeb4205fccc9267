import { useSearchParams } from 'react-router';

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
 * What is open by the address alone, so that other pages lead straight to it: `?create`, or `?create=framing` with more
 * about it. Null where it is closed.
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
