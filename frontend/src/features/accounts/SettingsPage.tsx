import { Alert } from 'antd';
import { useGet } from '@/api/hooks';
import { Loading, Page, Panel } from '@/ui/Page';
import { AccessTokens } from './AccessTokens';
import { DataAndPrivacy } from './DataAndPrivacy';
import { Sessions } from './Sessions';
import { SettingsForm } from './SettingsForm';
import './Profile.css';

export default function SettingsPage() {
  const { data: settings, error, mutate } = useGet('/api/auth/settings', {}, { revalidateOnFocus: false });
  return (
    <Page title="Settings" subtitle="What we mail you, and how simulations and downloads start out.">
      {settings === undefined && error === undefined && <Loading />}
      {settings === undefined && error !== undefined && (
        <Alert type="error" title="Failed to load settings." />
      )}
      {settings !== undefined && (
        <SettingsForm settings={settings} onSaved={(saved) => void mutate(saved, { revalidate: false })} />
      )}
      {/* Not before what stands above it, which would push it down. */}
      {(settings !== undefined || error !== undefined) && (
        <>
          <AccessTokens />
          <Panel title="Sessions">
            <Sessions />
          </Panel>
          <Panel title="Data & Privacy">
            <DataAndPrivacy />
          </Panel>
        </>
      )}
    </Page>
  );
}
