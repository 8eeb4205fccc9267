import { useState } from 'react';
import { Alert, App, Button, Tag } from 'antd';
import { api, failed } from '@/api/client';
import { useAll } from '@/api/hooks';
import type { AccessToken } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { ConfirmDialog } from '@/ui/Dialog';
import { date, relativeDate } from '@/ui/format';
import { Loading, Panel } from '@/ui/Page';
import { NewToken } from './NewToken';

/** The tokens that scripts sign in with in the user's name. */
export function AccessTokens() {
  const { message } = App.useApp();
  const { data: tokens, error, mutate } = useAll('/api/auth/tokens', {});
  const [making, setMaking] = useState(false);
  const [revoked, setRevoked] = useState<AccessToken | null>(null);

  const revoke = async (id: number) => {
    try {
      await api.delete('/api/auth/tokens/{tokenId}', { params: { path: { tokenId: id } } });
      void message.success('Token revoked');
    } catch (failure) {
      void message.error(failed('Failed to revoke token', failure));
    }
    await mutate();
  };
  const columns: Column<AccessToken>[] = [
    {
      title: 'Name',
      key: 'name',
      untitled: true,
      render: (_, { name, prefix }) => (
        <>
          <strong>{name}</strong> <code className="muted">{prefix}…</code>
        </>
      ),
    },
    {
      title: 'Scope',
      key: 'scopes',
      render: (_, { scopes }) => scopes.map((scope) => <Tag key={scope}>{scope}</Tag>),
    },
    {
      title: 'Expires',
      key: 'expires',
      render: (_, { expiresAt }) => (expiresAt == null ? 'Never' : date(expiresAt)),
    },
    {
      title: 'Last used',
      key: 'used',
      render: (_, { lastUsedAt }) => (lastUsedAt == null ? 'Never' : relativeDate(lastUsedAt)),
    },
    {
      title: 'Actions',
      key: 'actions',
      untitled: true,
      render: (_, token) => (
        <Button size="small" aria-label={`Revoke ${token.name}`} onClick={() => setRevoked(token)}>
          Revoke
        </Button>
      ),
    },
  ];
  return (
    <Panel
      title="Personal Access Tokens"
      extra={
        <Button size="small" onClick={() => setMaking(true)}>
          New Token
        </Button>
      }
    >
      <p className="muted">Scripts and notebooks sign in with a token, in your name.</p>
      {error !== undefined && tokens === undefined && <Alert type="error" title="Failed to load tokens" />}
      {tokens === undefined && error === undefined && <Loading />}
      {tokens !== undefined && tokens.length > 0 && (
        <DataTable rows={tokens} rowKey="id" columns={columns} name="tokens" />
      )}
      {making && <NewToken onMade={() => void mutate()} onClose={() => setMaking(false)} />}
      {revoked !== null && (
        <ConfirmDialog
          title="Revoke Token"
          action="Revoke"
          onConfirm={() => revoke(revoked.id)}
          onClose={() => setRevoked(null)}
        >
          Revoke “{revoked.name}”? What uses it is refused from then on.
        </ConfirmDialog>
      )}
    </Panel>
  );
}
