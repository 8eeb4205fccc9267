import { Button, Input, Select } from 'antd';
import { useAll } from '@/api/hooks';
import { useSession } from '@/api/session';
import type { Filter } from './filter';
import './Filters.css';

const types = [
  { value: 'all', label: 'All Types' },
  { value: 'ADD', label: 'Add Funds' },
  { value: 'MINES', label: 'Used/Mines' },
  { value: 'SET', label: 'Set Budget' },
] satisfies { value: Filter['type']; label: string }[];
const sorts = [
  { value: 'date', label: 'Date' },
  { value: 'amount', label: 'Amount' },
  { value: 'type', label: 'Type' },
] satisfies { value: Filter['sort']; label: string }[];

export function Filters({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
  const everywhere = useSession()?.role === 'super_admin';
  const { data: groups = [] } = useAll(everywhere ? '/api/groups' : '/api/groups/my', {});
  const all: { value: number | 'all'; label: string }[] = [{ value: 'all', label: 'All Groups' }];

  return (
    <div className="filters stack gap-3">
      <Select<number | 'all'>
        aria-label="Group"
        value={filter.group}
        options={all.concat(groups.map(({ id, groupName }) => ({ value: id, label: groupName })))}
        onChange={(group) => onChange({ ...filter, group })}
      />
      <Select
        aria-label="Type"
        value={filter.type}
        options={types}
        onChange={(type) => onChange({ ...filter, type })}
      />
      <Input
        type="search"
        aria-label="Search transactions"
        placeholder="Search transactions..."
        value={filter.search}
        onChange={(event) => onChange({ ...filter, search: event.target.value })}
      />
      <Input
        type="date"
        aria-label="From"
        value={filter.from}
        max={filter.to}
        onChange={(event) => onChange({ ...filter, from: event.target.value })}
      />
      <Input
        type="date"
        aria-label="To"
        value={filter.to}
        min={filter.from}
        onChange={(event) => onChange({ ...filter, to: event.target.value })}
      />
      <Select
        aria-label="Sort by"
        value={filter.sort}
        options={sorts}
        onChange={(sort) => onChange({ ...filter, sort })}
      />
      <Button
        title={filter.ascending ? 'Change to descending' : 'Change to ascending'}
        onClick={() => onChange({ ...filter, ascending: !filter.ascending })}
      >
        {filter.ascending ? '↑ Asc' : '↓ Desc'}
        <span className="visually-hidden">, change to {filter.ascending ? 'descending' : 'ascending'}</span>
      </Button>
    </div>
  );
}
