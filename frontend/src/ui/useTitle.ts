import { useEffect } from 'react';

const PRODUCT = 'Digital Twin Lab';

/** What stands before the title on every page, and what the page puts there instead. */
let everywhere = '';
let ofPage = '';
let title = document.title;

/** Sets the title of the browser's tab. A `prefix` takes the place of the one that stands on every page. */
export function useTitle(page: string, prefix = ''): void {
  useEffect(() => {
    title = page === PRODUCT ? page : `${page} · ${PRODUCT}`;
    ofPage = prefix;
    show();
    return () => {
      ofPage = '';
      show();
    };
  }, [page, prefix]);
}

/** Puts a word before the title of every page, as long as the component is there. */
export function useTitlePrefix(prefix: string): void {
  useEffect(() => {
    everywhere = prefix;
    show();
    return () => {
      everywhere = '';
      show();
    };
  }, [prefix]);
}

function show(): void {
  document.title = [ofPage || everywhere, title].filter(Boolean).join(' ');
}
