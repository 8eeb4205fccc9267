import { api, messageOf } from '@/api/client';
import { useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { Badge } from '@/ui/Badge';
import { Banner } from '@/ui/Banner';
import { Button } from '@/ui/Button';
import { count, dateAndTime, duration } from '@/ui/format';
import { Loading } from '@/ui/Loading';
import { toast } from '@/ui/toasts';

const POLL_MS = 3000;

/** What waits, who works, and how the model server is. */
export function Queue() {
  const { data, error, mutate } = useGet(
    '/api/simulations/queue/status',
    {},
    polling(POLL_MS, (latest) => latest !== undefined && latest.queued + latest.running > 0),
  );

  const trigger = async () => {
    try {
      await api.post('/api/simulations/queue/trigger');
      toast('success', 'The workers have been asked to look at the queue');
    } catch (failure) {
      toast('error', messageOf(failure, 'Failed to trigger the queue'));
    }
    await mutate();
  };
  if (error !== undefined && data === undefined)
    return <Banner type="error">Failed to load the queue</Banner>;
  if (data === undefined) return <Loading />;
  const { modelServer: server, workers } = data;
  return (
    <div className="admin-part">
      <div className="admin-bar">
        <p>
          <strong>{count(data.queued)}</strong> interviews waiting, <strong>{count(data.running)}</strong>{' '}
          running
          {data.queued + data.running > 0 &&
            data.oldestSeconds != null &&
            `, the oldest for ${duration(data.oldestSeconds)}`}
        </p>
        <Button size="sm" variant="outline" onClick={() => void trigger()}>
          Trigger Queue
        </Button>
      </div>
      <h2>Model server</h2>
      <p>
        {server.model} {server.demoModel && <Badge>Demo model</Badge>}{' '}
        {server.blockedUntil == null ? (
          <Badge tone="good">available</Badge>
        ) : (
          <Badge tone="warn">waiting until {dateAndTime(server.blockedUntil)}</Badge>
        )}
      </p>
      {server.reason != null && <p className="muted">{server.reason}</p>}
      <h2>Workers</h2>
      {workers.length === 0 && (
        <Banner type="warning">No worker is alive: runs wait until one starts.</Banner>
      )}
      <ul className="worker-list">
        {workers.map((worker) => (
          <li key={worker.id}>
            <strong>{worker.name}</strong>{' '}
            <Badge tone={worker.busy ? 'brand' : 'plain'}>{worker.busy ? 'busy' : 'idle'}</Badge>{' '}
            <span className="muted">
              {worker.inFlight} calls in flight, since {dateAndTime(worker.startedAt)}
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
