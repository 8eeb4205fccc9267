import { useState } from 'react';
import { Alert, Button, Form, Input, InputNumber, Tag, Upload } from 'antd';
import { api, messageOf } from '@/api/client';
import type { GroupMember } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { Dialog } from '@/ui/Dialog';
import { count } from '@/ui/format';
import { readClassList, type Listed } from './classList';

const kinds = {
  new: { text: 'New', color: 'success' },
  known: { text: 'Member already', color: 'default' },
  invalid: { text: 'Not an e-mail', color: 'error' },
} as const;

const columns: Column<Listed>[] = [
  {
    title: 'E-mail',
    key: 'email',
    untitled: true,
    render: (_, { text }) => <span className="long-word">{text}</span>,
  },
  {
    title: 'Status',
    key: 'status',
    untitled: true,
    render: (_, { kind }) => <Tag color={kinds[kind].color}>{kinds[kind].text}</Tag>,
  },
];

/** Adds everybody of a list that is pasted or read from a file. */
export function AddClass({
  group,
  members,
  initialText,
  initialBudget,
  onClose,
  onDone,
}: {
  group: number;
  members: GroupMember[];
  initialText: string;
  /** The group's default for new members, once known. */
  initialBudget: number | undefined;
  onClose: () => void;
  onDone: (message: string) => Promise<void>;
}) {
  const [text, setText] = useState(initialText);
  const [budget, setBudget] = useState<number | null>(initialBudget ?? null);
  const [busy, setBusy] = useState(false);
  const [refused, setRefused] = useState<{ email: string; reason: string }[]>([]);
  const listed = readClassList(
    text,
    members.map(({ user }) => user.email),
  );
  const fresh = listed.filter(({ kind }) => kind === 'new');
  const numbers = (['new', 'known', 'invalid'] as const)
    .map((kind) => `${listed.filter((each) => each.kind === kind).length} ${kind}`)
    .join(', ');

  const add = async () => {
    setRefused([]);
    setBusy(true);
    const body = {
      emails: fresh.map(({ text: email }) => email),
      ...(budget !== null && { budget: Math.trunc(budget) }),
    };
    try {
      const params = { path: { groupId: group } };
      const outcomes = await api.post('/api/groups/{groupId}/members/bulk', { params, body });
      const failures = outcomes
        .filter(({ added }) => !added)
        .map(({ email, reason }) => ({ email, reason: reason ?? '' }));
      const good = outcomes.length - failures.length;
      await onDone(
        good > 0
          ? `${count(good)} ${good === 1 ? 'member' : 'members'} added successfully!`
          : 'Failed to add members',
      );
      if (failures.length === 0) return onClose();
      setRefused(failures);
      setText(failures.map(({ email }) => email).join('\n'));
    } catch (error) {
      setRefused(
        body.emails.map((email) => ({ email, reason: messageOf(error, 'The server does not answer') })),
      );
    }
    setBusy(false);
  };
  return (
    <Dialog
      title="Add a Class List"
      size="lg"
      busy={busy}
      onClose={onClose}
      action={{
        text: fresh.length === 0 ? 'Add Members' : `Add ${count(fresh.length)} Members`,
        busyText: `Adding ${count(fresh.length)}...`,
        disabled: fresh.length === 0,
        onClick: () => void add(),
      }}
    >
      <Form layout="vertical" className="flush stack gap-4">
        {refused.length > 0 && (
          <Alert
            type="error"
            title={`${count(refused.length)} could not be added`}
            description={refused.map(({ email, reason }) => (
              <p key={email}>
                {email}: {reason}
              </p>
            ))}
          />
        )}
        <Form.Item label="E-mails" htmlFor="class-list" extra="Separated by commas or lines, or a CSV">
          <Input.TextArea
            id="class-list"
            rows={5}
            value={text}
            disabled={busy}
            placeholder={'ada@example.org, grace@example.org'}
            onChange={(event) => setText(event.target.value)}
          />
        </Form.Item>
        <Upload
          accept=".csv,.txt,text/csv,text/plain"
          showUploadList={false}
          disabled={busy}
          beforeUpload={(file) => {
            void file.text().then(setText);
            return false;
          }}
        >
          <Button size="small" disabled={busy}>
            Upload CSV
          </Button>
        </Upload>
        <Form.Item label="Budget of each" htmlFor="class-budget">
          <InputNumber
            id="class-budget"
            min={0}
            precision={0}
            value={budget}
            disabled={busy}
            onChange={setBudget}
            style={{ width: '100%' }}
          />
        </Form.Item>
        {listed.length > 0 && (
          <>
            <p role="status">{numbers}</p>
            <DataTable
              rows={listed}
              rowKey={({ text: email }) => email}
              columns={columns}
              name="e-mails"
              size={10}
            />
          </>
        )}
      </Form>
    </Dialog>
  );
}
