import { useGet } from '@/api/hooks';
import { Badge } from '@/ui/Badge';
import { Banner } from '@/ui/Banner';
import { Loading } from '@/ui/Loading';
import { Page, Panel } from '@/ui/Page';
import { LinkButton } from '@/ui/Button';
import { paths } from '@/paths';
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
      actions={
        <LinkButton to={paths.settings} variant="outline">
          Settings
        </LinkButton>
      }
    >
      {profile === undefined && error === undefined && <Loading text="Loading profile..." />}
      {profile === undefined && error !== undefined && <Banner type="error">Failed to load profile.</Banner>}
      {profile !== undefined && (
        <>
          <Panel>
            <div className="profile-card">
              <Photo profile={profile} onChange={(changed) => void mutate(changed, { revalidate: false })} />
              <div>
                <h2>{profile.name ?? 'No name set'}</h2>
                <p className="muted">{profile.email}</p>
                <Badge tone="brand">{roleNames[profile.role] ?? profile.role}</Badge>
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
