import { useId, useState } from 'react';
import { Alert, Flex, Form, Input, InputNumber, Switch } from 'antd';
import { api, failed } from '@/api/client';
import { refresh } from '@/api/hooks';
import { useSession } from '@/api/session';
import type { Group } from '@/api/types';
import { Dialog } from '@/ui/Dialog';

interface Fields {
  groupName: string;
  defaultBudget: number;
  ownerEmail: string;
  open: boolean;
  allowFullPersonas: boolean;
  allowSingleQuestionCalls: boolean;
  /** Null: none. */
  creditCeiling: number | null;
}

/** Super admins name any owner; an admin owns what they create. New groups are open. */
export function CreateGroup({ onClose }: { onClose: () => void }) {
  const user = useSession();
  const ownsIt = user?.role !== 'super_admin';
  const create = ({ groupName, defaultBudget, ownerEmail }: Fields) =>
    api.post('/api/groups', {
      body: {
        group_name: groupName.trim(),
        default_budget_per_user: defaultBudget,
        owner_email: ownerEmail.trim(),
        status: 'open',
      },
    });
  return (
    <GroupDialog
      title="Create New Group"
      action={{ text: 'Create Group', busyText: 'Creating...' }}
      initial={{ defaultBudget: 0, ownerEmail: ownsIt ? user?.email : '' }}
      onSave={create}
      failure="Failed to create group"
      onClose={onClose}
    >
      <Form.Item
        name="ownerEmail"
        label="Owner Email"
        hidden={ownsIt}
        rules={[
          { required: true, message: 'Owner email is required' },
          { type: 'email', message: 'Please enter a valid email address' },
        ]}
      >
        <Input type="email" />
      </Form.Item>
    </GroupDialog>
  );
}

export function EditGroup({ group, onClose }: { group: Group; onClose: () => void }) {
  const setsCeiling = useSession()?.role === 'super_admin';
  const save = (fields: Fields) => {
    const { groupName, defaultBudget, open, allowFullPersonas, allowSingleQuestionCalls } = fields;
    return api.patch('/api/groups/{groupId}', {
      params: { path: { groupId: group.id } },
      body: {
        group_name: groupName.trim(),
        default_budget_per_user: defaultBudget,
        status: open ? 'open' : 'closed',
        allowFullPersonas,
        allowSingleQuestionCalls,
        ...(setsCeiling && { creditCeiling: fields.creditCeiling }),
      },
    });
  };
  const { groupName, initialBudgetPerUser: defaultBudget, status } = group;
  const { allowFullPersonas, allowSingleQuestionCalls } = group;
  return (
    <GroupDialog
      title="Edit Group"
      action={{ text: 'Save Changes', busyText: 'Saving...' }}
      initial={{
        groupName,
        defaultBudget,
        open: status === 'open',
        allowFullPersonas,
        allowSingleQuestionCalls,
        creditCeiling: group.creditCeiling ?? null,
      }}
      onSave={save}
      failure="Failed to update group"
      onClose={onClose}
    >
      <Form.Item
        name="creditCeiling"
        label="Credit Ceiling"
        extra="The most credits that its members may be granted in all, spent ones included. Empty: no ceiling."
        hidden={!setsCeiling}
      >
        <InputNumber min={0} step={1} precision={0} style={{ width: '100%' }} />
      </Form.Item>
      <SwitchItem
        name="open"
        label="Open"
        hint="A closed group takes no new surveys and starts no simulations."
      />
      <SwitchItem
        name="allowFullPersonas"
        label="Allow full profiles"
        hint="Simulations may read all that is known of a twin, at several times the tokens."
      />
      <SwitchItem
        name="allowSingleQuestionCalls"
        label="Allow one question a call"
        hint="Simulations may ask each question alone, with a call to the model for each."
      />
    </GroupDialog>
  );
}

type Switched = 'open' | 'allowFullPersonas' | 'allowSingleQuestionCalls';

/** A switch of a group. */
function SwitchItem({ name, label, hint }: { name: Switched; label: string; hint: string }) {
  return (
    <Form.Item extra={hint}>
      <Flex justify="space-between" align="center">
        <label htmlFor={name}>{label}</label>
        <Form.Item name={name} valuePropName="checked" noStyle>
          <Switch />
        </Form.Item>
      </Flex>
    </Form.Item>
  );
}

/** The form that creating and editing have in common; `children` are further fields. */
function GroupDialog({
  title,
  action,
  initial,
  onSave,
  failure,
  onClose,
  children,
}: {
  title: string;
  action: { text: string; busyText: string };
  initial: object;
  onSave: (fields: Fields) => Promise<unknown>;
  /** The sentence before the server's reason. */
  failure: string;
  onClose: () => void;
  children?: React.ReactNode;
}) {
  const form = useId();
  const [saving, setSaving] = useState(false);
  const [error, setError] = useState<string | null>(null);

  const save = async (fields: Fields) => {
    setSaving(true);
    setError(null);
    try {
      await onSave(fields);
      await refresh('/api/groups');
      onClose();
    } catch (refusal) {
      setError(failed(failure, refusal));
      setSaving(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose} busy={saving} action={{ ...action, form }}>
      <Form<Fields>
        id={form}
        layout="vertical"
        initialValues={initial}
        onFinish={(fields) => void save(fields)}
      >
        {error !== null && <Alert type="error" title={error} />}
        <Form.Item
          name="groupName"
          label="Group Name"
          rules={[{ required: true, whitespace: true, message: 'Group name is required' }]}
        >
          <Input maxLength={200} />
        </Form.Item>
        <Form.Item
          name="defaultBudget"
          label="Default Budget"
          extra="Credits that a new member starts with."
          rules={[{ required: true, message: 'Default budget is required' }]}
        >
          <InputNumber min={0} step={1} precision={0} style={{ width: '100%' }} />
        </Form.Item>
        {children}
      </Form>
    </Dialog>
  );
}
