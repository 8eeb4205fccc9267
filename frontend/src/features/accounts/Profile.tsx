import { Alert, Tag } from 'antd';
import { failed } from '@/api/client';
import { useGet } from '@/api/hooks';
import { paths } from '@/paths';
import { LinkButton, Loading, Page, Panel } from '@/ui/Page';
import { Photo } from './Photo';
import { PersonalInformation } from './PersonalInformation';
import './Profile.css';

const roleNames: Partial<Record<string, string>> = {
  super_admin: 'Super admin',
  admin: 'Admin',
  user: 'User',
};

export default function Profile() {
  const { data: profile, error, mutate } = useGet('/api/auth/profile');

  return (
    <Page
      title="Profile"
      subtitle="Who you are on this platform."
      actions={<LinkButton to={paths.settings}>Settings</LinkButton>}
    >
      {profile === undefined && error === undefined && <Loading text="Loading profile..." />}
      {profile === undefined && error !== undefined && (
        <Alert type="error" title={failed('Failed to load profile.', error)} />
      )}
      {profile !== undefined && (
        <>
          <Panel>
            <div className="row gap-5 long-word">
              <Photo profile={profile} onChange={(changed) => void mutate(changed, { revalidate: false })} />
              <div>
                <h2>{profile.name ?? 'No name set'}</h2>
                <p className="muted">{profile.email}</p>
                <Tag color="processing">{roleNames[profile.role] ?? profile.role}</Tag>
              </div>
            </div>
          </Panel>
          <Panel title="Personal Information">
            <PersonalInformation
              profile={profile}
              onChange={(changed) => void mutate(changed, { revalidate: false })}
            />
          </Panel>
        </>
      )}
    </Page>
  );
}
