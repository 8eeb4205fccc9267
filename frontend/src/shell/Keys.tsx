import { lazy, Suspense, useEffect, useState } from 'react';
import { isKey, isTaken, openDialog } from '@/ui/keys';
import { moveRow } from '@/ui/rowKeys';

const KeyList = lazy(() => import('./KeyList'));

/** The keys of every signed-in page. */
export function Keys() {
  const [listed, setListed] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (isTaken(event)) return;
      if (isKey(event, 'keyList') && openDialog() === undefined) setListed(true);
      else if (isKey(event, 'nextRow') ? !moveRow(1) : !isKey(event, 'previousRow') || !moveRow(-1)) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, []);
  return <Suspense>{listed && <KeyList onClose={() => setListed(false)} />}</Suspense>;
}
