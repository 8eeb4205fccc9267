import { useGet } from '@/api/hooks';
import { Banner } from '@/ui/Banner';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/Dialog';
import { Loading } from '@/ui/Loading';
import { StartForm } from './StartForm';
import './StartSimulation.css';

/** Loads what the start needs to know, then asks whom and how many. */
export function StartSimulation({
  surveyId,
  title,
  onClose,
  onStarted,
}: {
  surveyId: number;
  title: string;
  onClose: () => void;
  onStarted: () => void;
}) {
  const {
    data: config,
    error,
    isValidating,
    mutate,
  } = useGet(
    '/api/surveys/{id}/simulation-config',
    { path: { id: surveyId } },
    { revalidateOnFocus: false, shouldRetryOnError: false },
  );
  const failed = error !== undefined && config === undefined && !isValidating;
  return (
    <Dialog title="Start Simulation" open onClose={onClose}>
      <p className="muted">{title}</p>
      {config === undefined && !failed && <Loading />}
      {failed && (
        <div className="start-failed">
          <Banner type="error">Failed to load simulation data</Banner>
          <Button variant="outline" onClick={() => void mutate()}>
            Retry
          </Button>
        </div>
      )}
      {config !== undefined && (
        <StartForm surveyId={surveyId} config={config} onClose={onClose} onStarted={onStarted} />
      )}
    </Dialog>
  );
}
