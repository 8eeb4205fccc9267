import { lazy, Suspense, useState } from 'react';
import { refresh, useGet, usePage } from '@/api/hooks';
import type { Persona } from '@/api/types';
import { Banner } from '@/ui/Banner';
import { Button } from '@/ui/Button';
import { DataTable, type Column } from '@/ui/DataTable';
import { count } from '@/ui/format';
import { Loading } from '@/ui/Loading';
import { SearchField } from '@/ui/SearchField';
import { useSettled } from '@/ui/useSettled';
import { ImportPersonas } from './ImportPersonas';

const DeletePersonas = lazy(() => import('./DeletePersonas'));

/** Twins in a page. */
const PAGE = 10;

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
        <Button variant="danger" size="sm" disabled={!number} onClick={() => setDeleting(true)}>
          Delete All
        </Button>
      </div>
      <SearchField label="Search personas" placeholder="Search personas..." value={search} onChange={look} />
      {error !== undefined && <Banner type="error">Failed to load personas</Banner>}
      {data === undefined && error === undefined && <Loading />}
      {data !== undefined && (
        <DataTable
          rows={data.rows}
          keyOf={({ id }) => id}
          columns={columns}
          name="personas"
          paged={{ page, size: PAGE, total: data.total, onChange: setPage }}
          empty={asked === '' ? 'No digital twins yet' : 'No digital twin matches this search'}
        />
      )}
      <Suspense>
        {deleting && <DeletePersonas onClose={() => setDeleting(false)} onDone={changed} />}
      </Suspense>
    </div>
  );
}

/** A page of all twins, or of those that a text is found in. */
function usePersonas(search: string, page: number) {
  const query = { limit: PAGE, offset: (page - 1) * PAGE };
  const kept = { keepPreviousData: true };
  const listed = usePage(search === '' ? '/api/personas' : null, { query }, kept);
  const found = usePage(
    search === '' ? null : '/api/personas/search',
    { query: { q: search, ...query } },
    kept,
  );
  return search === '' ? listed : found;
}
