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
