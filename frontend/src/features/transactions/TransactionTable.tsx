import type { Transaction } from '@/api/types';
import { Badge } from '@/ui/Badge';
import { DataTable, type Column, type Paged } from '@/ui/DataTable';
import { dateAndTime, dollars, relativeDate } from '@/ui/format';
import { MinusIcon, PlusIcon, SetIcon } from '@/ui/icons';
import { groupName, userName } from './filter';

const used = { label: 'Used', icon: <MinusIcon />, tone: 'warn' } as const;
const set = { label: 'Set', icon: <SetIcon />, tone: 'brand' } as const;
const added = { label: 'Added', icon: <PlusIcon />, tone: 'good' } as const;
const kindOf = ({ type }: Transaction) => (type === 'MINES' ? used : type === 'SET' ? set : added);

const columns: Column<Transaction>[] = [
  {
    title: 'Type',
    head: <span className="visually-hidden">Type</span>,
    key: 'type',
    untitled: true,
    width: '3.5rem',
    render: (transaction) => (
      <span className={`transaction-kind transaction-kind-${transaction.type}`} aria-hidden="true">
        {kindOf(transaction).icon}
      </span>
    ),
  },
  {
    title: 'Description',
    key: 'description',
    untitled: true,
    render: (transaction) => (
      <>
        {transaction.description} <Badge tone={kindOf(transaction).tone}>{kindOf(transaction).label}</Badge>{' '}
        {transaction.reversedAt && <Badge>Reversed</Badge>}
      </>
    ),
  },
  {
    title: 'User',
    key: 'user',
    render: (transaction) => (
      <span className="transaction-user">
        <span className="transaction-kind transaction-kind-SET" aria-hidden="true">
          {userName(transaction).charAt(0).toUpperCase()}
        </span>
        <span>
          {userName(transaction)}
          {transaction.groupUser?.user.name != null && <small>{transaction.groupUser.user.email}</small>}
        </span>
      </span>
    ),
  },
  { title: 'Group', key: 'group', render: (transaction) => groupName(transaction) },
  {
    title: 'Amount',
    key: 'amount',
    align: 'right',
    render: ({ amount, type }) => dollars(type === 'MINES' ? -Math.abs(Number(amount)) : amount),
  },
  {
    title: 'Balance',
    key: 'balance',
    align: 'right',
    render: ({ groupUser }) => (groupUser == null ? '–' : dollars(groupUser.budget)),
  },
  {
    title: 'Date',
    key: 'date',
    render: ({ createdAt }) => (
      <time dateTime={createdAt} title={dateAndTime(createdAt)}>
        {relativeDate(createdAt)}
      </time>
    ),
  },
];

export function TransactionTable({ transactions, paged }: { transactions: Transaction[]; paged: Paged }) {
  return (
    <DataTable
      rows={transactions}
      keyOf={({ id }) => id}
      columns={columns}
      name="transactions"
      paged={paged}
    />
  );
}
