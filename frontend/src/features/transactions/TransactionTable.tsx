import { Tag } from 'antd';
import type { Transaction } from '@/api/types';
import { DataTable, type Column, type Paged } from '@/ui/DataTable';
import { dateAndTime, dollars, relativeDate } from '@/ui/format';
import { MinusIcon, PlusIcon, SetIcon } from '@/ui/icons';
import { groupName, userName } from './filter';

const used = { label: 'Used', icon: <MinusIcon />, color: 'warning' } as const;
const set = { label: 'Set', icon: <SetIcon />, color: 'processing' } as const;
const added = { label: 'Added', icon: <PlusIcon />, color: 'success' } as const;
const kindOf = ({ type }: Transaction) => (type === 'MINES' ? used : type === 'SET' ? set : added);

const columns: Column<Transaction>[] = [
  {
    title: <span className="visually-hidden">Type</span>,
    key: 'type',
    untitled: true,
    width: '3.5rem',
    render: (_, transaction) => (
      <span className={`transaction-kind initial transaction-kind-${transaction.type}`} aria-hidden="true">
        {kindOf(transaction).icon}
      </span>
    ),
  },
  {
    title: 'Description',
    key: 'description',
    untitled: true,
    render: (_, transaction) => (
      <>
        <span className="two-lines" title={transaction.description}>
          {transaction.description}
        </span>{' '}
        <Tag color={kindOf(transaction).color}>{kindOf(transaction).label}</Tag>{' '}
        {transaction.reversedAt && <Tag>Reversed</Tag>}
      </>
    ),
  },
  {
    title: 'User',
    key: 'user',
    render: (_, transaction) => (
      <span className="transaction-user line">
        <span className="transaction-kind initial transaction-kind-SET" aria-hidden="true">
          {userName(transaction).charAt(0).toUpperCase()}
        </span>
        <span>
          {userName(transaction)}
          {transaction.groupUser?.user.name != null && (
            <small className="muted">{transaction.groupUser.user.email}</small>
          )}
        </span>
      </span>
    ),
  },
  { title: 'Group', key: 'group', render: (_, transaction) => groupName(transaction) },
  {
    title: 'Amount',
    key: 'amount',
    align: 'right',
    render: (_, { amount, type }) => dollars(type === 'MINES' ? -Math.abs(Number(amount)) : amount),
  },
  {
    title: 'Balance after',
    key: 'after',
    align: 'right',
    render: (_, { balance }) => dollars(balance),
  },
  {
    title: 'Balance',
    key: 'balance',
    align: 'right',
    render: (_, { groupUser }) => (groupUser == null ? '–' : dollars(groupUser.budget)),
  },
  {
    title: 'Date',
    key: 'date',
    render: (_, { createdAt }) => (
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
      rowKey={({ id }) => id}
      columns={columns}
      name="transactions"
      paged={paged}
    />
  );
}
