import { ApiError, messageOf } from '@/api/client';
import { useAll } from '@/api/hooks';
import { polling } from '@/api/polling';
import { isMoving } from '@/api/runs';
import { Banner } from '@/ui/Banner';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/antd/Dialog';
import { Loading } from '@/ui/Loading';
import { EmptyState } from '@/ui/Page';
import { RunCard } from './RunCard';

const POLL_MS = 2000;

/** Every run of one survey, with what can be done to each. */
export default function SurveyHistory({
  surveyId,
  title,
  onClose,
}: {
  surveyId: number;
  title: string;
  onClose: () => void;
}) {
  const {
    data: runs,
    error,
    mutate,
  } = useAll(
    '/api/surveys/{surveyId}/simulation-history',
    { path: { surveyId } },
    polling(POLL_MS, (latest) => latest?.some(({ status }) => isMoving(status)) ?? false),
  );
  return (
    <Dialog title={`Simulation History: ${title}`} onClose={onClose} size="xl">
      {error !== undefined && runs === undefined && <Banner type="error">{wordsFor(error)}</Banner>}
      {runs === undefined && error === undefined && <Loading />}
      {runs?.length === 0 && <EmptyState title="No Simulations Found" />}
      <div className="run-cards">
        {runs?.map((run) => (
          <RunCard key={run.simulationId} run={run} onChange={mutate} />
        ))}
      </div>
      <div className="dialog-foot">
        <span className="muted">Showing {runs?.length ?? 0} simulation(s)</span>
        <Button variant="outline" onClick={onClose}>
          Close
        </Button>
      </div>
    </Dialog>
  );
}

function wordsFor(error: ApiError): string {
  if (error.status === 401) return 'You are not logged in. Please log in again.';
  return messageOf(error, 'Failed to load simulation history');
}
