import { useState } from 'react';
import { Alert, Input } from 'antd';
import { api, messageOf } from '@/api/client';
import { Dialog } from '@/ui/Dialog';

const WORD = 'delete all personas';

/** Typed out, so that it cannot happen by a slip. */
export function DeletePersonas({ onClose, onDone }: { onClose: () => void; onDone: () => void }) {
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
    <Dialog
      title="Delete All Personas"
      onClose={onClose}
      busy={deleting}
      size="sm"
      action={{
        text: 'Delete All',
        danger: true,
        disabled: typed.trim() !== WORD,
        onClick: () => void remove(),
      }}
    >
      {error !== null && <Alert type="error" title={error} />}
      <label htmlFor="confirm-personas">
        No new simulation can start without personas. To confirm, type <strong>{WORD}</strong>:
      </label>
      <Input id="confirm-personas" value={typed} onChange={(event) => setTyped(event.target.value)} />
    </Dialog>
  );
}
