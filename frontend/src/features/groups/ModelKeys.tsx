import { useState } from 'react';
import { Alert, App, Button, Tag } from 'antd';
import { api, failed } from '@/api/client';
import { useGet } from '@/api/hooks';
import type { ModelKey } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { ConfirmDialog } from '@/ui/Dialog';
import { relativeDate } from '@/ui/format';
import { EmptyState, Loading, Panel } from '@/ui/Page';
import { SetModelKey } from './SetModelKey';

/** The key that new runs of the group ask with, in words. */
const users = {
  group: 'the group’s key',
  instance: 'the instance’s key',
} as const;

/** The group's own keys for the model servers: set, replaced and removed, never shown. */
export function ModelKeys({ group }: { group: number }) {
  const { message } = App.useApp();
  const path = { groupId: group };
  const { data: keys, error, mutate } = useGet('/api/groups/{groupId}/model-keys', { params: { path } });
  const [set, setSet] = useState<ModelKey | null>(null);
  const [removed, setRemoved] = useState<ModelKey | null>(null);

  const remove = async (server: string) => {
    try {
      await api.delete('/api/groups/{groupId}/model-keys/{server}', {
        params: { path: { ...path, server } },
      });
      void message.success(`The group’s key for ${server} is removed`);
    } catch (failure) {
      void message.error(failed('Failed to remove the key', failure));
    }
    await mutate();
  };
  if (keys === undefined) {
    return error === undefined ? <Loading /> : <Alert type="error" title="Failed to load the model keys" />;
  }
  if (keys.length === 0) return <EmptyState title="The model of this installation takes no key." />;
  const columns: Column<ModelKey>[] = [
    {
      title: 'Model server',
      key: 'server',
      untitled: true,
      render: (_, { server, models, wire }) => (
        <>
          <strong>{server}</strong>
          <p className="muted">
            {wire == null ? 'not a server of this installation any more' : models.join(', ')}
          </p>
        </>
      ),
    },
    {
      title: 'Key of the group',
      key: 'key',
      render: (_, { lastFour, setBy, setAt, mustBeSetAgain }) =>
        lastFour == null ? (
          'None'
        ) : (
          <>
            <code>…{lastFour}</code>
            <p className="muted">
              set by <span className="long-word">{setBy}</span>
              {setAt != null && `, ${relativeDate(setAt)}`}
            </p>
            {mustBeSetAgain && (
              <Tag color="warning">Cannot be read since the installation’s secret changed: set it again</Tag>
            )}
          </>
        ),
    },
    {
      title: 'New runs use',
      key: 'use',
      render: (_, { newRunsUse }) => (newRunsUse == null ? 'no key: it cannot be asked' : users[newRunsUse]),
    },
    {
      title: 'Actions',
      key: 'actions',
      untitled: true,
      render: (_, key) => (
        <div className="row-actions">
          {key.wire != null && (
            <Button
              size="small"
              aria-label={`${key.lastFour == null ? 'Set' : 'Replace'} the key for ${key.server}`}
              onClick={() => setSet(key)}
            >
              {key.lastFour == null ? 'Set' : 'Replace'}
            </Button>
          )}
          {key.lastFour != null && (
            <Button
              size="small"
              aria-label={`Remove the key for ${key.server}`}
              onClick={() => setRemoved(key)}
            >
              Remove
            </Button>
          )}
        </div>
      ),
    },
  ];
  return (
    <Panel title="Model keys">
      <p className="muted">
        Runs that start in this group ask a model server with the group’s key, where it has one. Keys are
        stored encrypted and never shown again. Credits count as always.
      </p>
      <DataTable rows={keys} rowKey="server" columns={columns} name="model servers" />
      {set !== null && (
        <SetModelKey group={group} line={set} onSet={() => void mutate()} onClose={() => setSet(null)} />
      )}
      {removed !== null && (
        <ConfirmDialog
          title="Remove Key"
          action="Remove"
          onConfirm={() => remove(removed.server)}
          onClose={() => setRemoved(null)}
        >
          Remove the group’s key for {removed.server}? Runs that began with it pause.
        </ConfirmDialog>
      )}
    </Panel>
  );
}
