import type { ReactNode } from 'react';
import { useAll } from '@/api/hooks';
import { useSession } from '@/api/session';
import { paths } from '@/paths';
import { EmptyState, LinkButton, Loading, Page } from '@/ui/Page';

/** Shows its children to members of at least one group; a failed check counts as no group. */
export function GroupGate({ title, text, children }: { title: string; text: string; children: ReactNode }) {
  const user = useSession();
  const everywhere = user?.role === 'super_admin';
  const { data, error } = useAll(everywhere ? null : '/api/groups/my', {});
  if (everywhere || (data !== undefined && data.length > 0)) return children;
  // Asked again until it is answered.
  const waiting = data === undefined && (error === undefined || error.status === 503 || error.status === 0);
  return (
    <Page title={title}>
      {waiting ? (
        <Loading />
      ) : (
        <EmptyState
          title="No Group Access"
          action={<LinkButton to={paths.myGroups}>View My Groups</LinkButton>}
        >
          {text}
        </EmptyState>
      )}
    </Page>
  );
}
