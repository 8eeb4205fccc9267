import { useEffect, useState, type RefCallback } from 'react';
import { flushSync } from 'react-dom';

/** How near to the window a chart is drawn, in pixels. */
const NEAR = '1200px';

/** Whether an element was ever near the window, or the page is printed: fifty charts are not drawn at once. */
export function useNear(): [boolean, RefCallback<HTMLElement>] {
  const [near, setNear] = useState(typeof IntersectionObserver === 'undefined');
  const [element, setElement] = useState<HTMLElement | null>(null);
  useEffect(() => {
    if (near || element === null) return undefined;
    const show = () => setNear(true);
    // The page is printed as it stands when this returns.
    const showAtOnce = () => flushSync(show);
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) show();
      },
      { rootMargin: NEAR },
    );
    observer.observe(element);
    window.addEventListener('beforeprint', showAtOnce);
    return () => {
      observer.disconnect();
      window.removeEventListener('beforeprint', showAtOnce);
    };
  }, [near, element]);
  return [near, setElement];
}
