import { useEffect, useId, useState } from 'react';
import { Form, Switch } from 'antd';
import { api, messageOf } from '@/api/client';
import type { Settings } from '@/api/types';
import { Button, type Outcome } from '@/ui/Button';
import { chooseTheme, useTheme } from '@/ui/colorTheme';
import { Panel } from '@/ui/Page';
import { Select } from '@/ui/Select';
import { toast } from '@/ui/toasts';

const twinChoices = [50, 100, 200, 500, 1000].map((value) => ({ value, label: `${value} twins` }));
const formats = [
  { value: 'csv', label: 'CSV' },
  { value: 'excel', label: 'Excel' },
  { value: 'json', label: 'JSON' },
];
const themes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];

export function SettingsForm({
  settings,
  onSaved,
}: {
  settings: Settings;
  onSaved: (settings: Settings) => void;
}) {
  const [form] = Form.useForm<Settings>();
  const [saving, setSaving] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  // What is on screen is what is chosen: the button of the bar above changes it too.
  const theme = useTheme();
  useEffect(() => form.setFieldValue('theme', theme), [form, theme]);

  const save = async (fields: Settings) => {
    setSaving(true);
    try {
      const saved = await api.put('/api/auth/settings', { body: { ...settings, ...fields } });
      chooseTheme(saved.theme === 'dark' ? 'dark' : 'light');
      onSaved(saved);
      toast('success', 'Settings saved');
      setOutcome('success');
    } catch (error) {
      toast('error', messageOf(error, 'Failed to save settings'));
      setOutcome('error');
    } finally {
      setSaving(false);
    }
  };
  return (
    <Form<Settings>
      form={form}
      layout="vertical"
      initialValues={{ ...settings, theme }}
      onValuesChange={() => setOutcome(null)}
      onFinish={(fields) => void save(fields)}
    >
      <div className="settings">
        <Panel title="Notification Settings">
          <Toggle name="emailNotifications" label="Email notifications" />
          <Toggle name="simulationComplete" label="When a simulation completes" />
          <Toggle name="lowBudget" label="When my budget runs low" />
          <Toggle
            name="newFeatures"
            label="About new features"
            hint="No such mail is sent yet: your choice is kept for the first one."
          />
        </Panel>
        <Panel title="Simulation Preferences">
          <Form.Item name="defaultDigitalTwins" label="Default digital twins">
            <Select options={twinChoices} />
          </Form.Item>
          <Form.Item name="exportFormat" label="Export format">
            <Select options={formats} />
          </Form.Item>
          <Form.Item name="theme" label="Theme">
            <Select options={themes} />
          </Form.Item>
          <Toggle
            name="autoSave"
            label="Save drafts automatically"
            hint="A question that you began stays in this tab until you add it or cancel."
          />
        </Panel>
        <div>
          <Button type="submit" loading={saving} loadingText="Saving..." outcome={outcome}>
            Save Settings
          </Button>
        </div>
      </div>
    </Form>
  );
}

function Toggle({ name, label, hint }: { name: keyof Settings; label: string; hint?: string }) {
  const hintId = useId();
  return (
    <>
      <Form.Item
        name={name}
        label={label}
        valuePropName="checked"
        layout="horizontal"
        colon={false}
        className="toggle"
      >
        <Switch aria-describedby={hint && hintId} />
      </Form.Item>
      {hint && (
        <p id={hintId} className="toggle-hint">
          {hint}
        </p>
      )}
    </>
  );
}
