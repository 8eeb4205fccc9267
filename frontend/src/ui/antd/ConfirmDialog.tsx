import { useState, type ReactNode } from 'react';
import { DialogButtons } from '../DialogButtons';
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
      <DialogButtons onCancel={onClose} onSubmit={() => void act()} busy={acting} busyText={action} danger>
        {action}
      </DialogButtons>
    </Dialog>
  );
}
