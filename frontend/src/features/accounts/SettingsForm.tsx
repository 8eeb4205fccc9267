import { useState } from 'react';
import { App, Button, Form, Select, Switch } from 'antd';
import { api, messageOf } from '@/api/client';
import type { Settings } from '@/api/types';
import { chooseTheme, useThemeChoice } from '@/ui/colorTheme';
import { Panel } from '@/ui/Page';
import { endedProps, type Outcome } from './outcome';

const twinChoices = [50, 100, 200, 500, 1000].map((value) => ({ value, label: `${value} twins` }));
const formats = [
  { value: 'csv', label: 'CSV' },
  { value: 'excel', label: 'Excel' },
  { value: 'json', label: 'JSON' },
];
const themes = [
  { value: 'light' as const, label: 'Light' },
  { value: 'dark' as const, label: 'Dark' },
  { value: 'system' as const, label: 'System' },
];

export function SettingsForm({
  settings,
  onSaved,
}: {
  settings: Settings;
  onSaved: (settings: Settings) => void;
}) {
  const { message } = App.useApp();
  const [saving, setSaving] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  // Not a field of the form: the button of the bar above changes it too.
  const theme = useThemeChoice();

  const save = async (fields: Settings) => {
    setSaving(true);
    try {
      onSaved(await api.put('/api/auth/settings', { body: { ...settings, ...fields, theme } }));
      setOutcome('success');
      void message.success('Settings saved');
    } catch (error) {
      setOutcome('error');
      void message.error(messageOf(error, 'Failed to save settings'));
    } finally {
      setSaving(false);
    }
  };
  return (
    <Form<Settings>
      className="settings stack gap-5"
      initialValues={settings}
      colon={false}
      onValuesChange={() => setOutcome(null)}
      onFinish={(fields) => void save(fields)}
    >
      <Panel title="Notification Settings">
        <SwitchItem name="emailNotifications" label="Email notifications" />
        <SwitchItem name="simulationComplete" label="When a simulation completes" />
        <SwitchItem name="lowBudget" label="When my budget runs low" />
        <SwitchItem
          name="newFeatures"
          label="About new features"
          hint="No such mail is sent yet: your choice is kept for the first one."
        />
      </Panel>
      <Panel title="Simulation Preferences">
        <Form.Item name="defaultDigitalTwins" label="Default digital twins" layout="vertical">
          <Select options={twinChoices} />
        </Form.Item>
        <Form.Item name="exportFormat" label="Export format" layout="vertical">
          <Select options={formats} />
        </Form.Item>
        <Form.Item label="Theme" htmlFor="theme" layout="vertical">
          <Select
            id="theme"
            options={themes}
            value={theme}
            onChange={(shown) => {
              chooseTheme(shown);
              setOutcome(null);
            }}
          />
        </Form.Item>
        <SwitchItem
          name="autoSave"
          label="Save drafts automatically"
          hint="A question that you began stays in this tab until you add it or cancel."
        />
      </Panel>
      <div>
        <Button type="primary" htmlType="submit" loading={saving} disabled={saving} {...endedProps(outcome)}>
          {saving ? 'Saving...' : 'Save Settings'}
        </Button>
      </div>
    </Form>
  );
}

/** A setting that is on or off. */
function SwitchItem({ name, label, hint }: { name: keyof Settings; label: string; hint?: string }) {
  return (
    <>
      <div className="switch-item line gap-4 between">
        <label htmlFor={name}>{label}</label>
        <Form.Item name={name} valuePropName="checked" noStyle>
          <Switch {...(hint !== undefined && { 'aria-describedby': `${name}-hint` })} />
        </Form.Item>
      </div>
      {hint !== undefined && (
        <p id={`${name}-hint`} className="muted switch-hint">
          {hint}
        </p>
      )}
    </>
  );
}
