import { lazy, Suspense, useState } from 'react';
import { getAll, messageOf } from '@/api/client';
import { useAll } from '@/api/hooks';
import { polling } from '@/api/polling';
import { isMoving } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { Banner } from '@/ui/Banner';
import { Button } from '@/ui/Button';
import { Loading } from '@/ui/Loading';
import { EmptyState, Page, Panel } from '@/ui/Page';
import { SearchField } from '@/ui/SearchField';
import { toast } from '@/ui/toasts';
import { matches } from './display';
import { RunTable } from './RunTable';
import './simulations.css';

const ProcessingDialog = lazy(() => import('./ProcessingDialog'));
const SurveyHistory = lazy(() => import('./SurveyHistory'));

const POLL_MS = 2000;

export function RunList() {
  const {
    data: runs,
    error,
    mutate,
  } = useAll(
    '/api/simulations',
    {},
    polling(POLL_MS, (latest) => latest?.some(({ status }) => isMoving(status)) ?? false),
  );
  const [search, setSearch] = useState('');
  const [refreshing, setRefreshing] = useState(false);
  const [watched, setWatched] = useState<Simulation | null>(null);
  const [survey, setSurvey] = useState<Simulation | null>(null);
  const shown = runs?.filter((run) => matches(run, search));

  const refresh = async () => {
    setRefreshing(true);
    try {
      const loaded = await getAll('/api/simulations', {});
      await mutate(loaded, { revalidate: false });
      toast('success', `Loaded ${loaded.length} simulations for your surveys.`);
    } catch (failure) {
      toast('error', messageOf(failure, 'Failed to load simulations'));
    } finally {
      setRefreshing(false);
    }
  };
  return (
    <Page title="Simulation History" subtitle="Every run, as it goes and when it is done">
      <Panel
        title="Simulation Runs"
        extra={
          <Button
            size="sm"
            variant="outline"
            loading={refreshing}
            loadingText="Refreshing..."
            onClick={() => void refresh()}
          >
            Refresh
          </Button>
        }
      >
        {error !== undefined && runs === undefined && (
          <Banner type="error">{messageOf(error, 'Failed to load simulations')}</Banner>
        )}
        {runs === undefined && error === undefined && <Loading />}
        {runs !== undefined && runs.length > 0 && (
          <div className="run-search">
            <SearchField
              label="Search simulations"
              placeholder="Search by survey, id or status..."
              value={search}
              onChange={setSearch}
            />
            {search !== '' && (
              <p className="muted" role="status">
                Showing {shown?.length} of {runs.length} simulations{' '}
                <Button size="xs" variant="ghost" onClick={() => setSearch('')}>
                  Clear search
                </Button>
              </p>
            )}
          </div>
        )}
        {shown?.length === 0 && (
          <EmptyState title="No Simulations Found">
            {runs?.length === 0
              ? 'No simulations found for your surveys. You may need to create surveys first.'
              : 'Nothing matches this search.'}
          </EmptyState>
        )}
        {shown !== undefined && shown.length > 0 && (
          <RunTable runs={shown} onWatch={setWatched} onSurvey={setSurvey} onChange={mutate} />
        )}
      </Panel>
      <Suspense>
        {watched !== null && (
          <ProcessingDialog run={watched} onClose={() => setWatched(null)} onRefresh={() => mutate()} />
        )}
        {survey !== null && (
          <SurveyHistory
            surveyId={survey.surveyId}
            title={survey.surveyTitle}
            onClose={() => setSurvey(null)}
          />
        )}
      </Suspense>
    </Page>
  );
}
