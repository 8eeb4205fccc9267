import { useState } from 'react';
import { Alert, Button, Form, Input } from 'antd';
import { api, failed } from '@/api/client';
import type { Profile } from '@/api/types';
import { endedProps } from './outcome';

export function PersonalInformation({
  profile,
  onChange,
}: {
  profile: Profile;
  onChange: (profile: Profile) => void;
}) {
  const [form] = Form.useForm<{ name: string }>();
  const name = Form.useWatch('name', form) ?? profile.name ?? '';
  const [saving, setSaving] = useState(false);
  const [message, setMessage] = useState<{ type: 'success' | 'error'; text: string } | null>(null);

  const save = async ({ name }: { name: string }) => {
    setSaving(true);
    setMessage(null);
    try {
      onChange(await api.put('/api/auth/profile', { body: { name: name.trim() } }));
      setMessage({ type: 'success', text: 'Profile updated successfully!' });
    } catch (error) {
      setMessage({ type: 'error', text: failed('Failed to update profile.', error) });
    } finally {
      setSaving(false);
    }
  };
  return (
    <Form
      form={form}
      layout="vertical"
      className="narrow-form"
      initialValues={{ name: profile.name ?? '' }}
      onValuesChange={() => setMessage(null)}
      onFinish={(fields) => void save(fields)}
    >
      {message !== null && (
        <Alert
          type={message.type}
          role={message.type === 'error' ? 'alert' : 'status'}
          title={message.text}
        />
      )}
      <Form.Item
        name="name"
        label="Full Name"
        rules={[{ required: true, whitespace: true, message: 'Name cannot be empty.' }]}
      >
        <Input maxLength={200} autoComplete="name" />
      </Form.Item>
      <Form.Item
        label="Email"
        htmlFor="profile-email"
        extra="Email address cannot be changed. Contact support if you need to update it."
      >
        <Input id="profile-email" value={profile.email} readOnly />
      </Form.Item>
      <Button
        type="primary"
        htmlType="submit"
        loading={saving}
        disabled={saving || name.trim() === ''}
        {...endedProps(message?.type)}
      >
        {saving ? 'Updating...' : 'Update Profile'}
      </Button>
    </Form>
  );
}
