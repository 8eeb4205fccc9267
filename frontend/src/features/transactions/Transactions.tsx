import { GroupGate } from '@/ui/GroupGate';
import { TransactionList } from './TransactionList';

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
