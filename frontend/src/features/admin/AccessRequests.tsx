import { lazy, Suspense, useState } from 'react';
import { api, messageOf } from '@/api/client';
import { useAll } from '@/api/hooks';
import type { AccessRequest } from '@/api/types';
import { Badge, type Tone } from '@/ui/Badge';
import { Banner } from '@/ui/Banner';
import { Button } from '@/ui/Button';
import { DataTable, type Column } from '@/ui/DataTable';
import { date } from '@/ui/format';
import { Loading } from '@/ui/Loading';
import { EmptyState } from '@/ui/Page';
import { toast } from '@/ui/toasts';

const RejectRequest = lazy(() => import('./RejectRequest'));

const tones: Record<AccessRequest['status'], Tone> = { pending: 'warn', approved: 'good', rejected: 'bad' };

export function AccessRequests() {
  const { data: requests, error, mutate } = useAll('/api/access-requests', {});
  const [busy, setBusy] = useState<number | null>(null);
  const [rejected, setRejected] = useState<AccessRequest | null>(null);

  const approve = async (request: AccessRequest) => {
    setBusy(request.id);
    try {
      await api.post('/api/access-requests/{accessRequestId}/approve', {
        path: { accessRequestId: request.id },
      });
      toast('success', `${request.email} has been approved and told the next steps`);
    } catch (failure) {
      toast('error', messageOf(failure, 'Failed to approve the request'));
    }
    setBusy(null);
    await mutate();
  };
  const columns: Column<AccessRequest>[] = [
    { title: 'E-mail', key: 'email', untitled: true, render: ({ email }) => <strong>{email}</strong> },
    { title: 'Institution', key: 'institution', render: ({ instituteName }) => instituteName },
    { title: 'Purpose', key: 'purpose', render: ({ purposeOfUse }) => purposeOfUse.replaceAll('_', ' ') },
    { title: 'Description', key: 'description', render: ({ description }) => description },
    {
      title: 'Requested',
      key: 'date',
      render: ({ createdAt }) => <time dateTime={createdAt}>{date(createdAt)}</time>,
    },
    {
      title: 'Status',
      key: 'status',
      render: ({ status, reason }) => (
        <span title={reason ?? undefined}>
          <Badge tone={tones[status]}>{status}</Badge>
        </span>
      ),
    },
    {
      title: 'Actions',
      key: 'actions',
      untitled: true,
      render: (request) =>
        request.status === 'pending' && (
          <div className="row-actions">
            <Button size="sm" loading={busy === request.id} onClick={() => void approve(request)}>
              Approve
            </Button>
            <Button size="sm" variant="outline" onClick={() => setRejected(request)}>
              Reject
            </Button>
          </div>
        ),
    },
  ];
  if (error !== undefined) return <Banner type="error">Failed to load access requests</Banner>;
  if (requests === undefined) return <Loading />;
  if (requests.length === 0) return <EmptyState title="No access requests" />;
  return (
    <>
      <DataTable rows={requests} keyOf={({ id }) => id} columns={columns} name="requests" />
      <Suspense>
        {rejected !== null && (
          <RejectRequest request={rejected} onClose={() => setRejected(null)} onDone={() => void mutate()} />
        )}
      </Suspense>
    </>
  );
}
