import { useState, type ReactNode } from 'react';
import { Button } from '../Button';
import { Dialog } from './Dialog';

/** Asks before something that cannot be undone; stays until it is done. */
export function ConfirmDialog({
  title,
  action,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  /** What the button does: `Delete`. */
  action: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}) {
  const [acting, setActing] = useState(false);
  const act = async () => {
    setActing(true);
    await onConfirm();
    onClose();
  };
  return (
    <Dialog title={title} onClose={onClose} locked={acting} size="sm">
      <p>{children}</p>
      <div className="dialog-buttons">
        <Button variant="outline" disabled={acting} onClick={onClose}>
          Cancel
        </Button>
        <Button variant="danger" loading={acting} loadingText={action} onClick={() => void act()}>
          {action}
        </Button>
      </div>
    </Dialog>
  );
}
