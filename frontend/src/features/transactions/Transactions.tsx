import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Alert, App, Button } from 'antd';
import { useSearchParams } from 'react-router';
import { api, getPage, messageOf } from '@/api/client';
import { useGet, usePage } from '@/api/hooks';
import { saveFile } from '@/api/saveFile';
import { useSession } from '@/api/session';
import { GroupGate } from '@/shell/GroupGate';
import { count, dollars, moneyWords } from '@/ui/format';
import { EmptyState, Loading, Page, Panel } from '@/ui/Page';
import { useSettled } from '@/ui/useSettled';
import { addressOf, filterOf, isUnfiltered, queryOf, type Filter } from './filter';
import { Filters } from './Filters';
import { TransactionTable } from './TransactionTable';

const PAGE = 25;

/** One message, however often they are loaded. */
const loadedWords = (total: number) => ({ content: `Loaded ${total} transactions`, key: 'loaded' });

export default function Transactions() {
  return (
    <GroupGate
      title="Transactions"
      text="You need to be a member of at least one group to view transactions. Please contact your administrator to be added to a group."
    >
      <TransactionList />
    </GroupGate>
  );
}

/** The ledger, filtered, sorted and handed out page by page by the server. */
function TransactionList() {
  const { message } = App.useApp();
  const everywhere = useSession()?.role === 'super_admin';
  const [address, setAddress] = useSearchParams();
  const filter = useMemo(() => filterOf(address), [address]);
  const page = Math.max(1, Math.trunc(Number(address.get('page'))) || 1);
  const setPage = (next: number) => {
    setAddress(addressOf(filter, next));
  };
  const [refreshing, setRefreshing] = useState(false);
  const asked = useSettled(filter);
  const query = queryOf(asked);
  const path = everywhere ? '/api/transactions/all' : '/api/transactions/user-groups';
  const options = { params: { query: { ...query, limit: PAGE, offset: (page - 1) * PAGE } } };
  const { data, error, mutate } = usePage(path, options, { keepPreviousData: true });
  const looked = JSON.stringify([path, options]);
  const looksAt = useRef(looked);
  useLayoutEffect(() => {
    looksAt.current = looked;
  });
  const { data: sums } = useGet(`${path}/stats`, { params: { query } }, { keepPreviousData: true });

  const total = data?.total;
  const announced = useRef(false);
  useEffect(() => {
    if (announced.current || total === undefined || total === 0) return;
    announced.current = true;
    void message.success(loadedWords(total));
  }, [total, message]);

  const narrow = (next: Filter) => {
    // Each letter of a search is no page to go back to.
    setAddress(addressOf(next, 1), { replace: true });
  };
  const download = async () => {
    try {
      const file = await api.get(`${path}/export.csv`, { params: { query }, parseAs: 'blob' });
      saveFile(file as unknown as Blob, 'transactions.csv');
    } catch (failure) {
      void message.error(messageOf(failure, 'Failed to download transactions'));
    }
  };
  const refresh = async () => {
    setRefreshing(true);
    try {
      const loaded = await getPage(path, options);
      // Ignores the response if the filter changed meanwhile.
      if (looksAt.current === looked) await mutate(loaded, { revalidate: false });
      void message.success(loadedWords(loaded.total));
    } catch (failure) {
      void message.error(messageOf(failure, 'Failed to load transactions'));
    } finally {
      setRefreshing(false);
    }
  };
  return (
    <Page title="Transactions" subtitle="View all financial transactions across your groups">
      <Filters filter={filter} onChange={narrow} />
      <Panel
        title={data === undefined ? 'Transactions' : `Transactions (${count(data.total)})`}
        extra={
          <div className="row-actions">
            <Button
              size="small"
              disabled={data === undefined || data.total === 0}
              onClick={() => void download()}
            >
              Download CSV
            </Button>
            <Button size="small" loading={refreshing} disabled={refreshing} onClick={() => void refresh()}>
              Refresh
            </Button>
          </div>
        }
      >
        {error !== undefined && (
          <Alert type="error" title={messageOf(error, 'Failed to load transactions')} />
        )}
        {data === undefined && error === undefined && <Loading />}
        {data?.total === 0 && (
          <EmptyState title="No Transactions">
            {isUnfiltered(asked)
              ? 'No transactions have been recorded yet.'
              : 'Try adjusting your filters to see more results.'}
          </EmptyState>
        )}
        {data !== undefined && data.total > 0 && (
          <>
            {sums !== undefined && (
              <p className="muted">
                Of all {count(sums.count)}: added {dollars(sums.totalAdded)}, used {dollars(sums.totalUsed)},
                set {dollars(sums.totalSet)}, together {dollars(sums.net)}
                {sums.cost.length > 0 && `; the calls of these runs cost ${moneyWords(sums.cost)}`}
                {sums.costByGroupKeys.length > 0 &&
                  `, ${moneyWords(sums.costByGroupKeys)} of it by keys of groups`}
              </p>
            )}
            <TransactionTable
              transactions={data.rows}
              paged={{ page, size: PAGE, total: data.total, onChange: setPage }}
            />
            <p className="muted">$ = credits</p>
          </>
        )}
      </Panel>
    </Page>
  );
}
