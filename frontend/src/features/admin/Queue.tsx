import { Alert, App, Button, Tag } from 'antd';
import { api, messageOf } from '@/api/client';
import { useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { count, dateAndTime, duration } from '@/ui/format';
import { Loading } from '@/ui/Page';
import { ActiveRuns } from './ActiveRuns';

const POLL_MS = 3000;

/** The queue, its workers, and the state of the model server. */
export function Queue() {
  const { message } = App.useApp();
  const { data, error, mutate } = useGet(
    '/api/simulations/queue/status',
    {},
    polling(POLL_MS, (latest) => latest !== undefined && latest.queued + latest.running > 0),
  );

  const trigger = async () => {
    try {
      await api.post('/api/simulations/queue/trigger');
      void message.success('The workers have been asked to look at the queue');
    } catch (failure) {
      void message.error(messageOf(failure, 'Failed to trigger the queue'));
    }
    await mutate();
  };
  if (error !== undefined && data === undefined)
    return <Alert type="error" title="Failed to load the queue" />;
  if (data === undefined) return <Loading />;
  const { modelServer: server, workers } = data;
  return (
    <div className="admin-part stack gap-4">
      <div className="admin-bar row">
        <p>
          <strong>{count(data.queued)}</strong> interviews waiting, <strong>{count(data.running)}</strong>{' '}
          running
          {data.queued + data.running > 0 &&
            data.oldestSeconds != null &&
            `, the oldest for ${duration(data.oldestSeconds)}`}
        </p>
        <Button size="small" onClick={() => void trigger()}>
          Trigger Queue
        </Button>
      </div>
      <h2>Active simulations</h2>
      <ActiveRuns />
      <h2>Model server</h2>
      <p>
        {server.model} {server.demoModel && <Tag>Demo model</Tag>}{' '}
        {server.blockedUntil == null ? (
          <Tag color="success">available</Tag>
        ) : (
          <Tag color="warning">waiting until {dateAndTime(server.blockedUntil)}</Tag>
        )}
      </p>
      {server.reason != null && <p className="muted">{server.reason}</p>}
      <h2>Workers</h2>
      {workers.length === 0 && (
        <Alert type="warning" role="status" title="No worker is alive: runs wait until one starts." />
      )}
      <ul className="worker-list">
        {workers.map((worker) => (
          <li key={worker.id}>
            <strong>{worker.name}</strong>{' '}
            <Tag color={worker.busy ? 'processing' : 'default'}>{worker.busy ? 'busy' : 'idle'}</Tag>{' '}
            <span className="muted">
              {worker.inFlight} calls in flight, since {dateAndTime(worker.startedAt)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
