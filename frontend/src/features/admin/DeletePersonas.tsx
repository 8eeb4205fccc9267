import { useState } from 'react';
import { Input } from 'antd';
import { api, messageOf } from '@/api/client';
import { Banner } from '@/ui/Banner';
import { Dialog } from '@/ui/antd/Dialog';
import { DialogButtons } from '@/ui/DialogButtons';

const WORD = 'delete all personas';

/** Typed out, so that it cannot happen by a slip. */
export default function DeletePersonas({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
  const [typed, setTyped] = useState('');
  const [deleting, setDeleting] = useState(false);
  const [error, setError] = useState<string | null>(null);

  const remove = async () => {
    setDeleting(true);
    try {
      await api.delete('/api/personas');
      onDone();
      onClose();
    } catch (failure) {
      setError(messageOf(failure, 'Failed to delete the personas'));
      setDeleting(false);
    }
  };
  return (
    <Dialog title="Delete All Personas" onClose={onClose} locked={deleting} size="sm">
      {error !== null && <Banner type="error">{error}</Banner>}
      <label htmlFor="confirm-personas">
        No new simulation can start without personas. To confirm, type <strong>{WORD}</strong>:
      </label>
      <Input id="confirm-personas" value={typed} onChange={(event) => setTyped(event.target.value)} />
      <DialogButtons
        onCancel={onClose}
        onSubmit={() => void remove()}
        busy={deleting}
        disabled={typed.trim() !== WORD}
        danger
      >
        Delete All
      </DialogButtons>
    </Dialog>
  );
}
