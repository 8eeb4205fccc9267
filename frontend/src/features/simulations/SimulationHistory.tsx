import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { Alert, App, Button, Input, Select } from 'antd';
import { getAll, messageOf } from '@/api/client';
import { useAll } from '@/api/hooks';
import { useSession } from '@/api/session';
import type { Simulation } from '@/api/types';
import { GroupGate } from '@/shell/GroupGate';
import { EmptyState, Loading, Page, Panel } from '@/ui/Page';
import { useAddress } from '@/ui/titleAndAddress';
import { displayOf, labels, matches, statuses } from '@/runs/display';
import { RunTable } from './RunTable';
import { SurveyHistory } from './SurveyHistory';
import { useRuns } from './useRuns';
import './simulations.css';

const own: { value: number | 'own'; label: string }[] = [{ value: 'own', label: 'My simulations' }];

/** One message, however often they are loaded. */
const loadedWords = (loaded: number) => ({
  content: `Loaded ${loaded} simulations for your surveys.`,
  key: 'loaded',
});

export default function SimulationHistory() {
  // Requested in parallel with the groups that the gate needs.
  useAll('/api/simulations', {});
  return (
    <GroupGate
      title="Simulation History"
      text="You need to be a member of at least one group to view simulation history. Please contact your administrator to be added to a group."
    >
      <RunList />
    </GroupGate>
  );
}

function RunList() {
  const { message } = App.useApp();
  const user = useSession();
  const owned = (useAll(user?.role === 'super_admin' ? null : '/api/groups/my', {}).data ?? []).filter(
    ({ isOwner }) => isOwner,
  );
  // What is looked at stands in the address, to come back to, to hand on, and for other pages to lead to.
  const [query, set] = useAddress();
  const survey = query.get('survey');
  const status = query.get('status');
  /** A group whose owner looks at everybody's runs in it; else one's own. */
  const group = query.has('group') ? Number(query.get('group')) : 'own';
  const { data: runs, error, mutate } = useRuns(group === 'own' ? null : group);
  const looksAt = useRef(group);
  useLayoutEffect(() => {
    looksAt.current = group;
  });
  // Kept here, too: the address follows later than the letters.
  const [search, setSearch] = useState(query.get('q') ?? '');
  const find = (q: string) => {
    setSearch(q);
    set({ q, page: null });
  };
  const clear = () => {
    setSearch('');
    set({ q: null, status: null, page: null });
  };
  const [refreshing, setRefreshing] = useState(false);
  const shown = runs?.filter(
    (run) => matches(run, search) && (status === null || displayOf(run.status) === status),
  );
  const mayControl = (run: Simulation) =>
    run.userId === user?.id || user?.role === 'super_admin' || owned.some(({ id }) => id === run.groupId);

  const firstLoad = runs?.length;
  const announced = useRef(false);
  useEffect(() => {
    if (announced.current || firstLoad === undefined || firstLoad === 0) return;
    announced.current = true;
    void message.success(loadedWords(firstLoad));
  }, [firstLoad, message]);
  const refresh = async () => {
    setRefreshing(true);
    try {
      const asked = group === 'own' ? {} : { params: { query: { groupId: group } } };
      const loaded = await getAll('/api/simulations', asked);
      // Ignores the response if another group was chosen meanwhile.
      if (looksAt.current === group) await mutate(loaded, { revalidate: false });
      void message.success(loadedWords(loaded.length));
    } catch (failure) {
      void message.error(messageOf(failure, 'Failed to load simulations'));
    } finally {
      setRefreshing(false);
    }
  };
  return (
    <Page title="Simulation History" subtitle="Every run, as it goes and when it is done">
      <Panel
        title="Simulation Runs"
        extra={
          <Button size="small" loading={refreshing} disabled={refreshing} onClick={() => void refresh()}>
            {refreshing ? 'Refreshing...' : 'Refresh'}
          </Button>
        }
      >
        {error !== undefined && runs === undefined && (
          <Alert type="error" title={messageOf(error, 'Failed to load simulations')} />
        )}
        {runs === undefined && error === undefined && <Loading />}
        {owned.length > 0 && (
          <div className="run-search stack gap-2">
            <Select<number | 'own'>
              aria-label="Whose simulations"
              value={group}
              onChange={(chosen) => set({ group: chosen === 'own' ? null : String(chosen), page: null })}
              options={[
                ...own,
                ...owned.map(({ id, groupName }) => ({
                  value: id,
                  label: `All simulations in ${groupName}`,
                })),
              ]}
            />
          </div>
        )}
        {runs !== undefined && runs.length > 0 && (
          <div className="run-search stack gap-2">
            <Input
              type="search"
              aria-label="Search simulations"
              placeholder="Search by survey, id or status..."
              value={search}
              onChange={(event) => find(event.target.value)}
            />
            <div className="row-actions" role="group" aria-label="Status">
              {statuses(runs).map(({ status: each, n }) => (
                <Button
                  key={each}
                  size="small"
                  shape="round"
                  {...(status === each && { type: 'primary' as const })}
                  aria-pressed={status === each}
                  onClick={() => set({ status: status === each ? null : each, page: null })}
                >
                  {labels[each].text} {n}
                </Button>
              ))}
            </div>
            {(search !== '' || status !== null) && (
              <p className="muted" role="status">
                Showing {shown?.length} of {runs.length} simulations{' '}
                <Button size="small" color="primary" variant="text" onClick={clear}>
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
          <RunTable runs={shown} mayControl={mayControl} onChange={mutate} />
        )}
      </Panel>
      {survey !== null && <SurveyHistory surveyId={Number(survey)} onClose={() => set({ survey: null })} />}
    </Page>
  );
}
