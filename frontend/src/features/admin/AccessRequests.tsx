import { useState } from 'react';
import { Alert, App, Button, Tag } from 'antd';
import { api, messageOf } from '@/api/client';
import { useAll } from '@/api/hooks';
import { purposeName } from '@/api/purposes';
import type { AccessRequest } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { date } from '@/ui/format';
import { EmptyState, Loading } from '@/ui/Page';
import { RejectRequest } from './RejectRequest';

const colors: Partial<Record<string, string>> = {
  pending: 'warning',
  approved: 'success',
  rejected: 'error',
};

export function AccessRequests() {
  const { message } = App.useApp();
  const { data: requests, error, mutate } = useAll('/api/access-requests', {});
  const [busy, setBusy] = useState<number | null>(null);
  const [rejected, setRejected] = useState<AccessRequest | null>(null);

  const approve = async (request: AccessRequest) => {
    setBusy(request.id);
    try {
      await api.post('/api/access-requests/{accessRequestId}/approve', {
        params: { path: { accessRequestId: request.id } },
      });
      void message.success(`${request.email} has been approved; the next steps were mailed`);
    } catch (failure) {
      void message.error(messageOf(failure, 'Failed to approve the request'));
    }
    setBusy(null);
    await mutate();
  };
  const columns: Column<AccessRequest>[] = [
    { title: 'E-mail', key: 'email', untitled: true, render: (_, { email }) => <strong>{email}</strong> },
    {
      title: 'Institution',
      key: 'institution',
      render: (_, { instituteName }) => (
        <span className="two-lines" title={instituteName}>
          {instituteName}
        </span>
      ),
    },
    { title: 'Purpose', key: 'purpose', render: (_, { purposeOfUse }) => purposeName(purposeOfUse) },
    {
      title: 'Description',
      key: 'description',
      render: (_, { description }) => (
        <span className="two-lines" title={description}>
          {description}
        </span>
      ),
    },
    {
      title: 'Requested',
      key: 'date',
      render: (_, { createdAt }) => <time dateTime={createdAt}>{date(createdAt)}</time>,
    },
    {
      title: 'Status',
      key: 'status',
      render: (_, { status, reason }) => (
        <span title={reason ?? undefined}>
          <Tag color={colors[status] ?? 'default'}>{status}</Tag>
        </span>
      ),
    },
    {
      title: 'Actions',
      key: 'actions',
      untitled: true,
      render: (_, request) =>
        request.status === 'pending' && (
          <div className="row-actions">
            <Button
              type="primary"
              size="small"
              loading={busy === request.id}
              disabled={busy === request.id}
              onClick={() => void approve(request)}
            >
              Approve
            </Button>
            <Button size="small" onClick={() => setRejected(request)}>
              Reject
            </Button>
          </div>
        ),
    },
  ];
  if (error !== undefined) return <Alert type="error" title="Failed to load access requests" />;
  if (requests === undefined) return <Loading />;
  if (requests.length === 0) return <EmptyState title="No access requests" />;
  return (
    <>
      <DataTable rows={requests} rowKey={({ id }) => id} columns={columns} name="requests" />
      {rejected !== null && (
        <RejectRequest request={rejected} onClose={() => setRejected(null)} onDone={() => void mutate()} />
      )}
    </>
  );
}
