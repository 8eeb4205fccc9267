import { useDeferredValue, useEffect, useMemo } from 'react';
import type { TextSource } from '@/api/texts';
import type { ResultSummary } from '@/api/types';
import { EmptyState } from '@/ui/Page';
import type { ResultFilter } from './filter';
import { ChartCard, type ChartContext } from './ChartCard';
import { FilterBar } from './FilterBar';
import { splitOf } from './split';
import { useWidth } from './useWidth';
import '@fontsource/source-serif-4/greek-400-italic.css';
import '@fontsource/source-serif-4/latin-400-italic.css';
import './charts.css';

/** Room between a card's edge and its chart, in pixels, where the page is wide and on a phone. */
const PADDING = { wide: 32, narrow: 16 };
const NARROW = 640;

/** A summary drawn: a chart per question, with what splits and narrows them above. */
export function ChartSheet({
  texts,
  summary,
  filter,
  twins,
  model,
  moving,
  printed = false,
}: {
  /** Stays the same object: all charts are drawn anew with another. */
  texts: TextSource;
  summary: ResultSummary;
  filter: ResultFilter;
  /** The number of twins of the run; unknown until it is loaded. */
  twins: number | undefined;
  /** The model's name for the source lines; empty where it is not known yet. */
  model: string;
  moving: boolean;
  /** All charts are drawn at once, for paper. */
  printed?: boolean;
}) {
  const [width, measure] = useWidth();
  // Fifty charts take a while to draw; the page stays responsive in between.
  const shown = useDeferredValue(summary);
  const { sort } = filter;
  // Another split or filter was chosen, and its answer is not drawn yet.
  const awaited = (shown.by ?? null) !== filter.by || shown.where.join('\n') !== filter.where.join('\n');
  const padding = width < NARROW ? PADDING.narrow : PADDING.wide;
  const setting = useMemo<ChartContext | null>(
    () =>
      width === 0
        ? null
        : {
            texts,
            split: splitOf(shown),
            query: {
              ...(shown.by != null && { by: shown.by }),
              ...(shown.where.length > 0 && { where: shown.where }),
            },
            sort,
            rule: shown.rule,
            width: width - 2 * padding - 2,
            moving,
            printed,
            partial: shown.partial,
            source: ['Digital Twin Lab', model].filter(Boolean).join(' · '),
          },
    [shown, width, padding, sort, moving, printed, model, texts],
  );
  const drawn = setting !== null;
  // A link to one chart; the browser looked for it before it was there.
  useEffect(() => {
    if (drawn && /^#question-\d+$/.test(location.hash))
      document.querySelector(location.hash)?.scrollIntoView();
  }, [drawn]);
  return (
    <div
      className={awaited ? 'charts stack charts-awaited' : 'charts stack'}
      aria-busy={awaited}
      ref={measure}
      style={{ '--chart-padding': `${padding}px` }}
    >
      <FilterBar filter={filter} summary={summary} twins={twins} />
      {shown.partial && (
        <p className="charts-partial" role="status">
          <strong>{moving ? 'Live, partial.' : 'Partial.'}</strong>{' '}
          {moving ? 'Shares still move.' : 'These are the answers so far.'}
        </p>
      )}
      {shown.by != null && shown.rule.byPlan && <p className="muted">{shown.rule.words}</p>}
      {shown.questions.length === 0 && <EmptyState title="No questions" />}
      {setting !== null &&
        shown.questions.map((question) => (
          <ChartCard key={question.questionId} question={question} setting={setting} />
        ))}
    </div>
  );
}
