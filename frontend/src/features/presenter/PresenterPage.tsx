import { useState } from 'react';
import { useNavigate, useParams } from 'react-router';
import { failed } from '@/api/client';
import { useGet } from '@/api/hooks';
import { LIVE_MS } from '@/api/live';
import { polling } from '@/api/polling';
import { isMoving } from '@/api/runs';
import { useSession } from '@/api/session';
import { paths } from '@/paths';
import { modelName } from '@/runs/display';
import { useRunWatch } from '@/runs/useRunWatch';
import { RedirectScreen } from '@/shell/guards';
import { useAddress, useTitle } from '@/ui/titleAndAddress';
import { Presenter } from './Presenter';
import { useRunEvents } from './useRunEvents';

/** A run on the wall, while it runs and after. The question and the split stand in the address. */
export default function PresenterPage() {
  const user = useSession();
  return user === null ? <RedirectScreen /> : <Presented />;
}

function Presented() {
  const params = useParams();
  const surveyId = Number(params.surveyId);
  const simulationId = params.simulationId ?? '';
  const [query, change] = useAddress();
  const navigate = useNavigate();
  const by = query.get('by') ?? '';
  // What is shown changes with the run's event stream; only without one the page asks by itself.
  const [streams, setStreams] = useState(false);
  const run = useGet(
    '/api/simulations/{simulationId}',
    { params: { path: { simulationId } } },
    polling(LIVE_MS, (latest) => !streams && latest !== undefined && isMoving(latest.status)),
  );
  const moves = run.data !== undefined && isMoving(run.data.status);
  const summary = useGet(
    '/api/surveys/{surveyId}/simulation/{simulationId}/summary',
    { params: { path: { surveyId, simulationId }, ...(by !== '' && { query: { by } }) } },
    { keepPreviousData: true, ...polling(LIVE_MS, () => moves && !streams) },
  );
  useRunEvents(simulationId, moves, setStreams, () => {
    void run.mutate();
    void summary.mutate();
  });
  useTitle(run.data?.surveyTitle ?? 'Presenter');
  // Toasts do not belong on the wall.
  useRunWatch();

  const leave = () => void navigate(paths.responses(surveyId, simulationId));

  const error = run.error ?? summary.error;
  if (error !== undefined) {
    return (
      <main className="opening">
        <p role="alert">{failed('Failed to load simulation responses', error)}</p>
      </main>
    );
  }
  if (run.data === undefined || summary.data === undefined) {
    return (
      <main className="opening">
        <p role="status">Loading...</p>
      </main>
    );
  }
  const { questions, groups, attributes, partial } = summary.data;
  return (
    <Presenter
      show={{
        questions,
        groups: by === '' ? [] : groups,
        attributes,
        twins: run.data.personaCount,
        model: modelName(run.data.demoModel, run.data.model),
        partial,
      }}
      at={Number(query.get('q') ?? 1) - 1}
      by={by}
      onMove={(at) => {
        change({ q: String(at + 1) });
      }}
      onSplit={(next) => {
        change({ by: next });
      }}
      onLeave={leave}
    />
  );
}
