import { useDeferredValue, useEffect, useMemo, useRef } from 'react';
import { Alert, Button } from 'antd';
import { useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { isMoving } from '@/api/runs';
import type { RunAddress } from '@/api/types';
import { EmptyState, Loading } from '@/ui/Page';
import { ChartCard, type Setting } from './charts/ChartCard';
import { FilterBar } from './charts/FilterBar';
import { splitOf } from './charts/split';
import { findingsOf } from './charts/tests';
import { useWidth } from './charts/useWidth';
import { useResultFilter } from './filter';
import '@fontsource/source-serif-4/greek-400-italic.css';
import '@fontsource/source-serif-4/latin-400-italic.css';
import './charts/charts.css';

/** How often a run that moves is looked at. */
const LIVE_MS = 2000;
const SUMMARY = '/api/surveys/{surveyId}/simulation/{simulationId}/summary';
/** Room between a card's edge and its chart, in pixels, where the page is wide and on a phone. */
const PADDING = { wide: 32, narrow: 16 };
const NARROW = 640;

/** A chart per question, split and narrowed as the address says. */
export default function Charts({ run }: { run: RunAddress }) {
  const filter = useResultFilter();
  const { data: facts } = useGet(
    '/api/simulations/{simulationId}',
    { params: { path: { simulationId: run.simulationId } } },
    polling(LIVE_MS, (latest) => latest !== undefined && isMoving(latest.status)),
  );
  const moving = facts !== undefined && isMoving(facts.status);
  const { data, error, mutate } = useGet(
    SUMMARY,
    { params: { path: run, query: filter.query } },
    { keepPreviousData: true, revalidateOnFocus: false, ...(moving && polling(LIVE_MS, () => true)) },
  );
  // The last answers came after the last look.
  const wasMoving = useRef(moving);
  useEffect(() => {
    if (wasMoving.current && !moving) void mutate();
    wasMoving.current = moving;
  }, [moving, mutate]);
  const [width, measure] = useWidth();
  // Fifty charts take a while to draw; the page stays responsive in between.
  const shown = useDeferredValue(data);
  const { sort } = filter;
  const padding = width < NARROW ? PADDING.narrow : PADDING.wide;
  const source = [
    'Digital Twin Lab',
    facts === undefined ? '' : facts.demoModel ? 'demo model' : facts.parameters.model,
  ]
    .filter(Boolean)
    .join(' · ');
  const { surveyId, simulationId } = run;
  const setting = useMemo<Setting | null>(
    () =>
      shown === undefined || width === 0
        ? null
        : {
            run: { surveyId, simulationId },
            split: splitOf(shown),
            findings: findingsOf(shown.questions, splitOf(shown)),
            query: {
              ...(shown.by != null && { by: shown.by }),
              ...(shown.where.length > 0 && { where: shown.where }),
            },
            sort,
            width: width - 2 * padding - 2,
            moving,
            partial: shown.partial,
            source,
          },
    [shown, width, padding, sort, moving, source, surveyId, simulationId],
  );
  const drawn = setting !== null;
  // A link to one chart; the browser looked for it before it was there.
  useEffect(() => {
    if (drawn && /^#question-\d+$/.test(location.hash))
      document.querySelector(location.hash)?.scrollIntoView();
  }, [drawn]);
  if (error !== undefined && data === undefined) {
    const unfit = error.status === 400 && (filter.by !== null || filter.where.length > 0);
    return (
      <Alert
        type="error"
        title={unfit ? 'This run cannot be split or filtered so.' : 'Failed to load simulation responses'}
        description={unfit ? error.serverMessage : undefined}
        action={unfit && <Button onClick={filter.clear}>Show all answers</Button>}
      />
    );
  }
  return (
    <div className="charts" ref={measure} style={{ '--chart-padding': `${padding}px` }}>
      {data === undefined || shown === undefined ? (
        <Loading />
      ) : (
        <>
          <FilterBar filter={filter} summary={data} twins={facts?.personaCount} />
          {shown.partial && (
            <p className="charts-partial" role="status">
              <strong>{moving ? 'Live, partial.' : 'Partial.'}</strong>{' '}
              {moving ? 'Shares still move.' : 'These are the answers so far.'}
            </p>
          )}
          {shown.questions.length === 0 && <EmptyState title="No questions" />}
          {setting !== null &&
            shown.questions.map((question) => (
              <ChartCard key={question.questionId} question={question} setting={setting} />
            ))}
        </>
      )}
    </div>
  );
}
