import { useId, useState } from 'react';
import { App, Form, Input } from 'antd';
import { messageOf } from '@/api/client';
import { Dialog } from '@/ui/Dialog';

/** The name of a run or a study, and a note on it. */
export interface Names {
  name: string;
  note: string;
}

/** Asks for the name and the note of a run or a study. An empty text removes. */
export function NameDialog({
  of,
  failure,
  onSave,
  onClose,
}: {
  of: { name?: string | null; note?: string | null };
  /** The message where it cannot be saved and the server gives no reason. */
  failure: string;
  onSave: (names: Names) => Promise<unknown>;
  onClose: () => void;
}) {
  const { message } = App.useApp();
  const form = useId();
  const [busy, setBusy] = useState(false);
  const save = async ({ name = '', note = '' }: Partial<Names>) => {
    setBusy(true);
    try {
      await onSave({ name, note });
      onClose();
    } catch (error) {
      void message.error(messageOf(error, failure));
      setBusy(false);
    }
  };
  return (
    <Dialog
      title="Name and note"
      onClose={onClose}
      busy={busy}
      action={{ text: 'Save', busyText: 'Saving...', form }}
    >
      <Form
        id={form}
        layout="vertical"
        initialValues={{ name: of.name ?? '', note: of.note ?? '' }}
        onFinish={(values: Partial<Names>) => void save(values)}
      >
        <Form.Item name="name" label="Name">
          <Input maxLength={120} placeholder="Pilot of the wording" />
        </Form.Item>
        <Form.Item name="note" label="Note">
          <Input.TextArea maxLength={2000} rows={4} />
        </Form.Item>
      </Form>
    </Dialog>
  );
}
