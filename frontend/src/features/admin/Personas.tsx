import { useState } from 'react';
import { Input } from 'antd';
import { useGet } from '@/api/hooks';
import type { Persona } from '@/api/types';
import { Button } from '@/ui/Button';
import { DataTable, type Column } from '@/ui/DataTable';
import { count } from '@/ui/format';
import { DeletePersonas } from './DeletePersonas';
import { ImportPersonas } from './ImportPersonas';

const columns: Column<Persona>[] = [
  { title: 'Id', key: 'id', align: 'right', width: '5rem', render: ({ id }) => id },
  { title: 'Name', key: 'name', width: '12rem', render: ({ name }) => name },
  {
    title: 'Description',
    key: 'description',
    render: ({ description }) => <span className="persona-text">{description}</span>,
  },
];

/** The digital twins: how many, who, and where they come from. */
export function Personas() {
  const [search, setSearch] = useState('');
  const [deleting, setDeleting] = useState(false);
  const total = useGet('/api/personas/count');
  const listed = useGet(search === '' ? '/api/personas' : null, { query: { limit: 50 } });
  const found = useGet(search === '' ? null : '/api/personas/search', { query: { q: search, limit: 50 } });
  const shown = (search === '' ? listed.data : found.data) ?? [];
  const number = typeof total.data === 'number' ? total.data : total.data?.count;

  const changed = () => {
    void total.mutate();
    void listed.mutate();
  };
  return (
    <div className="admin-part">
      <div className="admin-bar">
        <p>
          <strong>{number === undefined ? '–' : count(number)}</strong> digital twins
        </p>
        <ImportPersonas onDone={changed} />
        <Button variant="danger" size="sm" disabled={!number} onClick={() => setDeleting(true)}>
          Delete All
        </Button>
      </div>
      <Input.Search
        aria-label="Search personas"
        placeholder="Search personas..."
        allowClear
        onSearch={setSearch}
      />
      <DataTable rows={shown} keyOf={({ id }) => id} columns={columns} name="personas" size={10} />
      {deleting && <DeletePersonas onClose={() => setDeleting(false)} onDone={changed} />}
    </div>
  );
}
