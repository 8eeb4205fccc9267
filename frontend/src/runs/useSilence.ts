import { useEffect, useState } from 'react';
import { duration } from '@/ui/format';

/** A page that is answered every second and was not for so long has lost its server. */
const SILENCE_MS = 4000;
const TICK_MS = 1000;

/**
 * How long ago the last answer came, in words, once it should have been followed by another: `Last update 12 s ago,
 * reconnecting`. Null while answers come, and while none are asked for. It compares the clock with the last answer,
 * because a browser that is offline sends no request that could fail; `failing`: the newest request did.
 */
export function useSilence(answeredAt: number, asking: boolean, failing: boolean): string | null {
  const [now, setNow] = useState(answeredAt);
  // A hidden tab asks nothing: its silence begins when it is seen again.
  const [seenAt, setSeenAt] = useState(answeredAt);
  const [offline, setOffline] = useState(() => !navigator.onLine);
  useEffect(() => {
    if (!asking) return undefined;
    const tick = setInterval(() => setNow(Date.now()), TICK_MS);
    const look = () => {
      setNow(Date.now());
      if (document.visibilityState === 'visible') setSeenAt(Date.now());
    };
    const connection = () => {
      setNow(Date.now());
      setOffline(!navigator.onLine);
    };
    document.addEventListener('visibilitychange', look);
    window.addEventListener('offline', connection);
    window.addEventListener('online', connection);
    return () => {
      clearInterval(tick);
      document.removeEventListener('visibilitychange', look);
      window.removeEventListener('offline', connection);
      window.removeEventListener('online', connection);
    };
  }, [asking]);
  if (!asking) return null;
  const ago = duration(Math.max(0, now - answeredAt) / 1000);
  if (failing || now - Math.max(answeredAt, seenAt) >= SILENCE_MS) {
    return offline ? `Offline. Last update ${ago} ago` : `Last update ${ago} ago, reconnecting`;
  }
  return offline && now - answeredAt >= 2 * TICK_MS ? `Offline. Last update ${ago} ago` : null;
}
