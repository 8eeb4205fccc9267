import { Alert } from 'antd';
import { isMoving, isPartial } from '@/api/runs';
import type { Simulation } from '@/api/types';

/** Notices that readers of the answers must know. */
export function Notices({
  run,
  sample = false,
}: {
  run: Simulation;
  /** The answers are invented. */ sample?: boolean;
}) {
  return (
    <>
      {run.demoModel && <Alert type="info" role="status" title="Demo model: not from a language model." />}
      {isMoving(run.status) && (
        <Alert
          type="info"
          role="status"
          title="Live, partial: answers still come in, and what stands here grows with them."
        />
      )}
      {isPartial(run.status) && (
        <Alert
          type="warning"
          role="status"
          title="Partial: This run is not complete: these are its answers so far."
        />
      )}
      {run.failedRequests > 0 && run.errorMessage && (
        <Alert type="warning" role="status" title={run.errorMessage} />
      )}
      {sample && (
        <Alert
          type="warning"
          role="status"
          title="No real responses exist for this run. What you see is invented sample data, made from the survey’s questions."
        />
      )}
    </>
  );
}
