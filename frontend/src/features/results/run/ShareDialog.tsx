import { useState } from 'react';
import { Alert, App, Button, Flex, Select } from 'antd';
import { api, failed } from '@/api/client';
import { useAll } from '@/api/hooks';
import type { ShareLink, Simulation } from '@/api/types';
import { CopyField } from '@/ui/Copy';
import { DataTable, type Column } from '@/ui/DataTable';
import { ConfirmDialog, Dialog } from '@/ui/Dialog';
import { count, date, relativeDate } from '@/ui/format';

const LINKS = '/api/simulations/{simulationId}/shares';
const DAY_MS = 86_400_000;
const terms = [
  { value: 7, label: 'in 7 days' },
  { value: 30, label: 'in 30 days' },
  { value: 90, label: 'in 90 days' },
  { value: 365, label: 'in one year' },
];

/** Read-only links to a run's results: a new one, and those that there are. */
export function ShareDialog({ run, onClose }: { run: Simulation; onClose: () => void }) {
  const { message } = App.useApp();
  const path = { simulationId: run.simulationId };
  const { data: links = [], error: unknown, mutate } = useAll(LINKS, { params: { path } });
  const [days, setDays] = useState(30);
  const [making, setMaking] = useState(false);
  const [made, setMade] = useState<string | null>(null);
  const [error, setError] = useState<string | null>(null);
  const [revoked, setRevoked] = useState<ShareLink | null>(null);

  const make = async () => {
    setMaking(true);
    setError(null);
    try {
      const expiresAt = new Date(Date.now() + days * DAY_MS).toISOString();
      const link = await api.post('/api/simulations/{simulationId}/share', {
        params: { path },
        body: { expiresAt },
      });
      setMade(location.origin + link.path);
      await mutate();
    } catch (failure) {
      setError(failed('Failed to make a link', failure));
    } finally {
      setMaking(false);
    }
  };
  const revoke = async ({ id }: ShareLink) => {
    try {
      await api.delete('/api/simulations/{simulationId}/shares/{shareId}', {
        params: { path: { ...path, shareId: id } },
      });
      void message.success('Link revoked');
      setMade(null);
    } catch (failure) {
      void message.error(failed('Failed to revoke the link', failure));
    }
    await mutate();
  };
  const columns: Column<ShareLink>[] = [
    { title: 'Link', key: 'prefix', untitled: true, render: (_, { prefix }) => <code>…{prefix}…</code> },
    { title: 'Expires', key: 'expires', render: (_, { expiresAt }) => date(expiresAt) },
    {
      title: 'Opened',
      key: 'views',
      render: (_, { views, lastViewedAt }) =>
        lastViewedAt == null ? 'Never' : `${count(views)} ×, ${relativeDate(lastViewedAt)}`,
    },
    {
      title: 'Actions',
      key: 'actions',
      untitled: true,
      render: (_, link) => (
        <Button size="small" aria-label={`Revoke the link ${link.prefix}`} onClick={() => setRevoked(link)}>
          Revoke
        </Button>
      ),
    },
  ];
  return (
    <Dialog title="Share the results" size="lg" onClose={onClose}>
      <p className="muted">
        All who have the link see the questions and the charts, live while the run goes on, without an
        account: no single twins, no credits, no names of members.
      </p>
      {error !== null && <Alert type="error" title={error} />}
      {made === null ? (
        <Flex gap="small" wrap align="center" className="share-new">
          <span id="share-expires">A new link that expires</span>
          <Select aria-labelledby="share-expires" value={days} onChange={setDays} options={terms} />
          <Button type="primary" loading={making} onClick={() => void make()}>
            Create link
          </Button>
        </Flex>
      ) : (
        <MadeLink link={made} />
      )}
      {unknown !== undefined && <Alert type="error" title="Failed to load the links" />}
      {links.length > 0 && <DataTable rows={links} rowKey="id" columns={columns} name="links" />}
      {revoked !== null && (
        <ConfirmDialog
          title="Revoke this link?"
          action="Revoke"
          onConfirm={() => revoke(revoked)}
          onClose={() => setRevoked(null)}
        >
          From now on its page says that it is gone.
        </ConfirmDialog>
      )}
    </Dialog>
  );
}

function MadeLink({ link }: { link: string }) {
  return (
    <div className="share-new">
      <Alert type="success" role="status" title="Copy the link now: it is not shown again." />
      <CopyField label="Link" text={link} />
    </div>
  );
}
