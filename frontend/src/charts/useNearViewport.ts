import { useEffect, useState, type RefCallback } from 'react';
import { flushSync } from 'react-dom';

/** How near to the window a chart is drawn, in pixels. */
const NEAR = '1200px';

/**
 * Whether an element was ever near the window, or the page is printed: fifty charts are not drawn at once. `early`: also
 * once the browser is idle, because printing cannot wait for a request.
 */
export function useNearViewport(early = false): [boolean, RefCallback<HTMLElement>] {
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
    const forget = early ? whenIdle(show) : undefined;
    return () => {
      forget?.();
      observer.disconnect();
      window.removeEventListener('beforeprint', showAtOnce);
    };
  }, [near, element, early]);
  return [near, setElement];
}

/** Calls `task` when the browser is idle, unless what it returns is called before. */
function whenIdle(task: () => void): () => void {
  // Safari has no such call.
  if (typeof requestIdleCallback === 'undefined') {
    const timer = setTimeout(task, 1000);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(task);
  return () => cancelIdleCallback(request);
}
