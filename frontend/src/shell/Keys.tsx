import { lazy, Suspense, useEffect } from 'react';
import type { Session } from '@/api/session';
import { isKey, isTaken, openDialog } from '@/ui/keys';
import { moveRow } from './rowKeys';
import { CommandPalette } from './palette/CommandPalette';

const KeyList = lazy(() => import('./KeyList'));

/** The dialog that is open, of those that the keys of every page open. */
export type Opened = 'keys' | 'palette' | null;

/** The keys of every signed-in page, and what they open. */
export function Keys({
  user,
  opened,
  onOpen,
  onSignOut,
}: {
  user: Session;
  opened: Opened;
  onOpen: (opened: Opened) => void;
  onSignOut: () => void;
}) {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      // Also from a field: nobody types a letter with Ctrl.
      if (isKey(event, 'palette') && !event.defaultPrevented) {
        if (openDialog() === undefined) onOpen('palette');
      } else if (isTaken(event)) return;
      else if (isKey(event, 'keyList') && openDialog() === undefined) onOpen('keys');
      else if (isKey(event, 'nextRow') ? !moveRow(1) : !isKey(event, 'previousRow') || !moveRow(-1)) return;
      event.preventDefault();
    };
    document.addEventListener('keydown', press);
    return () => document.removeEventListener('keydown', press);
  }, [onOpen]);
  return (
    <Suspense>
      {opened === 'keys' && <KeyList onClose={() => onOpen(null)} />}
      {opened === 'palette' && (
        <CommandPalette
          user={user}
          onKeyList={() => onOpen('keys')}
          onSignOut={onSignOut}
          onClose={() => onOpen(null)}
        />
      )}
    </Suspense>
  );
}
