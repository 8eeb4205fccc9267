import { useAll } from '@/api/hooks';
import { useSession } from '@/api/session';
import { Button } from '@/ui/Button';
import { SearchField } from '@/ui/SearchField';
import { Select } from '@/ui/Select';
import type { Filter } from './filter';
import './Filters.css';

const types = [
  { value: 'all', label: 'All Types' },
  { value: 'ADD', label: 'Add Funds' },
  { value: 'MINES', label: 'Used/Mines' },
  { value: 'SET', label: 'Set Budget' },
] as const;
const sorts = [
  { value: 'date', label: 'Date' },
  { value: 'amount', label: 'Amount' },
  { value: 'type', label: 'Type' },
] as const;

export function Filters({ filter, onChange }: { filter: Filter; onChange: (filter: Filter) => void }) {
  const everywhere = useSession()?.role === 'super_admin';
  const { data: groups = [] } = useAll(everywhere ? '/api/groups' : '/api/groups/my', {});
  const all: { value: number | 'all'; label: string }[] = [{ value: 'all', label: 'All Groups' }];

  return (
    <div className="filters">
      <Select
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
      <SearchField
        label="Search transactions"
        placeholder="Search transactions..."
        value={filter.search}
        onChange={(search) => onChange({ ...filter, search })}
      />
      <Select
        aria-label="Sort by"
        value={filter.sort}
        options={sorts}
        onChange={(sort) => onChange({ ...filter, sort })}
      />
      <Button
        size="sm"
        variant="outline"
        aria-label={filter.ascending ? 'Ascending, change to descending' : 'Descending, change to ascending'}
        onClick={() => onChange({ ...filter, ascending: !filter.ascending })}
      >
        {filter.ascending ? '↑ Asc' : '↓ Desc'}
      </Button>
    </div>
  );
}
