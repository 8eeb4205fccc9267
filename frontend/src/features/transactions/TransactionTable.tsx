import { MinusOutlined, PlusOutlined, SwapOutlined } from '@ant-design/icons';
import { Table, type TableColumnsType, type TablePaginationConfig } from 'antd';
import type { Transaction } from '@/api/types';
import { Badge } from '@/ui/Badge';
import { dateAndTime, dollars, relativeDate } from '@/ui/format';
import { groupName, userName } from './filter';

const used = { label: 'Used', icon: <MinusOutlined />, tone: 'warn' } as const;
const set = { label: 'Set', icon: <SwapOutlined />, tone: 'brand' } as const;
const added = { label: 'Added', icon: <PlusOutlined />, tone: 'good' } as const;
const kindOf = ({ type }: Transaction) => (type === 'MINES' ? used : type === 'SET' ? set : added);

const columns: TableColumnsType<Transaction> = [
  {
    title: <span className="visually-hidden">Type</span>,
    key: 'type',
    width: 56,
    render: (_, transaction) => (
      <span className={`transaction-kind transaction-kind-${transaction.type}`} aria-hidden="true">
        {kindOf(transaction).icon}
      </span>
    ),
  },
  {
    title: 'Description',
    key: 'description',
    render: (_, transaction) => (
      <>
        {transaction.description} <Badge tone={kindOf(transaction).tone}>{kindOf(transaction).label}</Badge>{' '}
        {transaction.reversedAt && <Badge>Reversed</Badge>}
      </>
    ),
  },
  {
    title: 'User',
    key: 'user',
    render: (_, transaction) => (
      <span className="transaction-user">
        <span className="transaction-kind transaction-kind-SET" aria-hidden="true">
          {userName(transaction).charAt(0).toUpperCase()}
        </span>
        <span>
          {userName(transaction)}
          <small>{transaction.groupUser?.user.email}</small>
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

export function TransactionTable({
  transactions,
  pagination,
}: {
  transactions: Transaction[];
  pagination: TablePaginationConfig;
}) {
  return (
    <Table
      rowKey="id"
      columns={columns}
      dataSource={transactions}
      pagination={pagination}
      scroll={{ x: 'max-content' }}
    />
  );
}
