import { useState, type FormEvent } from 'react';
import { api, messageOf } from '@/api/client';
import type { Settings } from '@/api/types';
import { Button, type Outcome } from '@/ui/Button';
import { chooseTheme, useTheme } from '@/ui/colorTheme';
import { SelectField } from '@/ui/Field';
import { Panel } from '@/ui/Page';
import { Switch } from '@/ui/Switch';
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
] as const;

export function SettingsForm({
  settings,
  onSaved,
}: {
  settings: Settings;
  onSaved: (settings: Settings) => void;
}) {
  const [chosen, setChosen] = useState(settings);
  const [saving, setSaving] = useState(false);
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  // What is on screen is what is chosen: the button of the bar above changes it too.
  const theme = useTheme();

  const choose = (part: Partial<Settings>) => {
    setChosen({ ...chosen, ...part });
    setOutcome(null);
  };
  const save = async (event: FormEvent) => {
    event.preventDefault();
    setSaving(true);
    try {
      onSaved(await api.put('/api/auth/settings', { body: { ...chosen, theme } }));
      setOutcome('success');
      toast('success', 'Settings saved');
    } catch (error) {
      setOutcome('error');
      toast('error', messageOf(error, 'Failed to save settings'));
    } finally {
      setSaving(false);
    }
  };
  /** A switch for one of the settings that are on or off. */
  const toggle = (
    name: 'emailNotifications' | 'simulationComplete' | 'lowBudget' | 'newFeatures' | 'autoSave',
  ) => ({
    checked: chosen[name],
    onChange: (on: boolean) => choose({ [name]: on }),
  });
  return (
    <form className="settings" onSubmit={(event) => void save(event)}>
      <Panel title="Notification Settings">
        <Switch label="Email notifications" {...toggle('emailNotifications')} />
        <Switch label="When a simulation completes" {...toggle('simulationComplete')} />
        <Switch label="When my budget runs low" {...toggle('lowBudget')} />
        <Switch
          label="About new features"
          hint="No such mail is sent yet: your choice is kept for the first one."
          {...toggle('newFeatures')}
        />
      </Panel>
      <Panel title="Simulation Preferences">
        <SelectField
          label="Default digital twins"
          options={twinChoices}
          value={chosen.defaultDigitalTwins}
          onChange={(defaultDigitalTwins) => choose({ defaultDigitalTwins })}
        />
        <SelectField
          label="Export format"
          options={formats}
          value={chosen.exportFormat}
          onChange={(exportFormat) => choose({ exportFormat })}
        />
        <SelectField
          label="Theme"
          options={themes}
          value={theme}
          onChange={(shown) => {
            chooseTheme(shown);
            setOutcome(null);
          }}
        />
        <Switch
          label="Save drafts automatically"
          hint="A question that you began stays in this tab until you add it or cancel."
          {...toggle('autoSave')}
        />
      </Panel>
      <div>
        <Button type="submit" loading={saving} loadingText="Saving..." outcome={outcome}>
          Save Settings
        </Button>
      </div>
    </form>
  );
}
