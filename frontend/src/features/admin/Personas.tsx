import { useState } from 'react';
import { Alert, Button, Input } from 'antd';
import { refresh, useGet, usePage } from '@/api/hooks';
import type { Persona } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { count } from '@/ui/format';
import { Loading } from '@/ui/Page';
import { useSettled } from '@/ui/useSettled';
import { DeletePersonas } from './DeletePersonas';
import { ImportPersonas } from './ImportPersonas';

/** Twins in a page. */
const PAGE = 10;

const columns: Column<Persona>[] = [
  { title: 'Id', key: 'id', align: 'right', width: '5rem', render: (_, { id }) => id },
  { title: 'Name', key: 'name', width: '12rem', render: (_, { name }) => name },
  {
    title: 'Description',
    key: 'description',
    render: (_, { description }) => <span className="persona-text">{description}</span>,
  },
];

/** The digital twins: how many, who, and where they come from. */
export function Personas() {
  const [search, setSearch] = useState('');
  const [page, setPage] = useState(1);
  const [deleting, setDeleting] = useState(false);
  const all = useGet('/api/personas/count');
  const number = typeof all.data === 'number' ? all.data : all.data?.count;
  const asked = useSettled(search.trim());
  const { data, error } = usePersonas(asked, page);

  const look = (wanted: string) => {
    setSearch(wanted);
    setPage(1);
  };
  const changed = () => {
    setPage(1);
    void refresh('/api/personas');
  };
  return (
    <div className="admin-part">
      <div className="admin-bar">
        <p>
          <strong>{number === undefined ? '–' : count(number)}</strong> digital twins
        </p>
        <ImportPersonas onDone={changed} />
        <Button type="primary" danger size="small" disabled={!number} onClick={() => setDeleting(true)}>
          Delete All
        </Button>
      </div>
      <Input
        type="search"
        aria-label="Search personas"
        placeholder="Search personas..."
        value={search}
        onChange={(event) => look(event.target.value)}
      />
      {error !== undefined && <Alert type="error" title="Failed to load personas" />}
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined && (
        <DataTable
          rows={data.rows}
          rowKey={({ id }) => id}
          columns={columns}
          name="personas"
          paged={{ page, size: PAGE, total: data.total, onChange: setPage }}
          empty={asked === '' ? 'No digital twins yet' : 'No digital twin matches this search'}
        />
      )}
      {deleting && <DeletePersonas onClose={() => setDeleting(false)} onDone={changed} />}
    </div>
  );
}

/** A page of all twins, or of those that a text is found in. */
function usePersonas(search: string, page: number) {
  const query = { limit: PAGE, offset: (page - 1) * PAGE };
  const kept = { keepPreviousData: true };
  const listed = usePage(search === '' ? '/api/personas' : null, { params: { query } }, kept);
  const found = usePage(
    search === '' ? null : '/api/personas/search',
    { params: { query: { q: search, ...query } } },
    kept,
  );
  return search === '' ? listed : found;
}
