import { useGet } from '@/api/hooks';
import { Banner } from '@/ui/Banner';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/antd/Dialog';
import { Loading } from '@/ui/Loading';
import { StartForm } from './StartForm';
import './StartSimulation.css';

/** Loads what the start needs to know, then asks whom and how many. */
export default function StartSimulation({
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
    '/api/surveys/{surveyId}/simulation-config',
    { path: { surveyId } },
    { revalidateOnFocus: false, shouldRetryOnError: false },
  );
  // Settings that cannot be read are no reason not to start.
  const settings = useGet('/api/auth/settings', {}, { revalidateOnFocus: false, shouldRetryOnError: false });
  const failed = error !== undefined && config === undefined && !isValidating;
  const ready = config !== undefined && !settings.isLoading;
  return (
    <Dialog title="Start Simulation" onClose={onClose}>
      <p className="muted">{title}</p>
      {!ready && !failed && <Loading />}
      {failed && (
        <div className="start-failed">
          <Banner type="error">Failed to load simulation data</Banner>
          <Button variant="outline" onClick={() => void mutate()}>
            Retry
          </Button>
        </div>
      )}
      {ready && (
        <StartForm
          surveyId={surveyId}
          config={config}
          usualCount={settings.data?.defaultDigitalTwins}
          onClose={onClose}
          onStarted={onStarted}
        />
      )}
    </Dialog>
  );
}
