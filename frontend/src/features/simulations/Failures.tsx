import { useGet } from '@/api/hooks';
import { count } from '@/ui/format';

/** Why requests of a run failed, the commonest cause first. */
export function Failures({ simulationId }: { simulationId: string }) {
  const { data: causes = [] } = useGet('/api/simulations/{simulationId}/failures', {
    path: { simulationId },
  });
  if (causes.length === 0) return null;
  return (
    <details className="run-failures">
      <summary>Why requests failed</summary>
      <ul>
        {causes.map((cause) => (
          <li key={cause.code}>
            {cause.message} <span className="muted">{count(cause.count)} requests</span>
          </li>
        ))}
      </ul>
    </details>
  );
}
