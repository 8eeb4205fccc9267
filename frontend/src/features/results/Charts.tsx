import { useEffect, useMemo, useRef } from 'react';
import { Alert, Button } from 'antd';
import { failed } from '@/api/client';
import { useGet } from '@/api/hooks';
import { LIVE_MS } from '@/api/live';
import { polling } from '@/api/polling';
import { isMoving } from '@/api/runs';
import { useSession } from '@/api/session';
import type { RunAddress } from '@/api/types';
import { ChartSheet } from '@/charts/ChartSheet';
import { useResultFilter } from '@/charts/filter';
import { modelName } from '@/runs/display';
import { markFirstRun } from '@/runs/firstRun';
import { Loading } from '@/ui/Page';

const SUMMARY = '/api/surveys/{surveyId}/simulation/{simulationId}/summary';

/** A chart per question of a run, split and narrowed as the address says. */
export default function Charts({ run, printed = false }: { run: RunAddress; printed?: boolean }) {
  const filter = useResultFilter();
  const { data: facts } = useGet(
    '/api/simulations/{simulationId}',
    { params: { path: { simulationId: run.simulationId } } },
    polling(LIVE_MS, (latest) => latest !== undefined && isMoving(latest.status)),
  );
  const { surveyId, simulationId } = run;
  const texts = useMemo(() => ({ surveyId, simulationId }), [surveyId, simulationId]);
  const moving = facts !== undefined && isMoving(facts.status);
  const { data, error, mutate } = useGet(
    SUMMARY,
    { params: { path: run, query: filter.query } },
    { keepPreviousData: true, revalidateOnFocus: false, ...(moving && polling(LIVE_MS, () => true)) },
  );
  const user = useSession();
  const shown = data !== undefined;
  useEffect(() => {
    if (shown && user !== null) markFirstRun('charts', user.id);
  }, [shown, user]);
  // The last answers came after the last look.
  const wasMoving = useRef(moving);
  useEffect(() => {
    if (wasMoving.current && !moving) void mutate();
    wasMoving.current = moving;
  }, [moving, mutate]);
  if (error !== undefined && data === undefined) {
    const unfit = error.status === 400 && (filter.by !== null || filter.where.length > 0);
    return (
      <Alert
        type="error"
        title={
          unfit
            ? 'This run cannot be split or filtered that way.'
            : failed('Failed to load simulation responses', error)
        }
        description={unfit ? error.serverMessage : undefined}
        action={unfit && <Button onClick={filter.clear}>Show all answers</Button>}
      />
    );
  }
  if (data === undefined) return <Loading />;
  return (
    <ChartSheet
      texts={texts}
      summary={data}
      filter={filter}
      twins={facts?.personaCount}
      model={facts === undefined ? '' : modelName(facts.demoModel, facts.parameters.model)}
      moving={moving}
      printed={printed}
    />
  );
}
