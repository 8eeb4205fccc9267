import { useMemo, useState } from 'react';
import { api, messageOf } from '@/api/client';
import { useGet } from '@/api/hooks';
import { useSession } from '@/api/session';
import { Banner } from '@/ui/Banner';
import { Button } from '@/ui/Button';
import { Loading } from '@/ui/Loading';
import { EmptyState, Page, Panel } from '@/ui/Page';
import { toast } from '@/ui/toasts';
import { applyFilter, unfiltered } from './filter';
import { Filters } from './Filters';
import { TransactionTable } from './TransactionTable';

export function TransactionList() {
  const everywhere = useSession()?.role === 'super_admin';
  const path = everywhere ? '/api/transactions/all' : '/api/transactions/user-groups';
  const query = { limit: 500 };
  const { data: transactions, error, mutate } = useGet(path, { query });
  const [filter, setFilter] = useState(unfiltered);
  const [refreshing, setRefreshing] = useState(false);
  const shown = useMemo(() => applyFilter(transactions ?? [], filter), [transactions, filter]);

  const refresh = async () => {
    setRefreshing(true);
    try {
      const loaded = await api.get(path, { query });
      await mutate(loaded, { revalidate: false });
      toast('success', `Loaded ${loaded.length} transactions`);
    } catch (failure) {
      toast('error', messageOf(failure, 'Failed to load transactions'));
    } finally {
      setRefreshing(false);
    }
  };
  return (
    <Page title="Transactions" subtitle="View all financial transactions across your groups">
      <Filters filter={filter} onChange={setFilter} />
      <Panel
        title={`Transactions (${shown.length})`}
        extra={
          <Button size="sm" variant="outline" loading={refreshing} onClick={() => void refresh()}>
            Refresh
          </Button>
        }
      >
        {error !== undefined && (
          <Banner type="error">{messageOf(error, 'Failed to load transactions')}</Banner>
        )}
        {transactions === undefined && error === undefined && <Loading />}
        {transactions !== undefined && shown.length === 0 && (
          <EmptyState title="No Transactions">
            {transactions.length === 0
              ? 'No transactions have been recorded yet.'
              : 'Try adjusting your filters to see more results.'}
          </EmptyState>
        )}
        {shown.length > 0 && <TransactionTable transactions={shown} />}
      </Panel>
    </Page>
  );
}
