import { useState } from 'react';
import { Alert, Button } from 'antd';
import { refresh, useGet, usePage } from '@/api/hooks';
import { saveFile } from '@/api/saveFile';
import type { Persona } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { count } from '@/ui/format';
import { Loading } from '@/ui/Page';
import { SearchField } from '@/ui/SearchField';
import { useAddress, usePageInAddress } from '@/ui/titleAndAddress';
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
    render: (_, { description }) => <span className="three-lines">{description}</span>,
  },
];

/** The digital twins: how many, who, and where they come from. */
export function Personas() {
  const [address, change] = useAddress();
  const q = address.get('q') ?? '';
  const [page, setPage] = usePageInAddress();
  const [deleting, setDeleting] = useState(false);
  const all = useGet('/api/personas/count');
  const number = typeof all.data === 'number' ? all.data : all.data?.count;
  const asked = q.trim();
  const { data, error } = usePersonas(asked, page);

  const changed = () => {
    change({ page: null });
    void refresh('/api/personas');
  };
  return (
    <div className="admin-part stack gap-4">
      <div className="admin-bar row">
        <p>
          <strong>{number === undefined ? '–' : count(number)}</strong> digital twins
          {typeof all.data === 'object' && all.data.source != null && ` from ${all.data.source}`}
        </p>
        <ImportPersonas onDone={changed} />
        <Button type="link" size="small" onClick={saveSample}>
          Sample file
        </Button>
      </div>
      <p className="muted">
        A file needs a text of every twin (<code>persona_summary</code>, or <code>persona_text</code> for the
        full one); <code>pid</code> is its id, every further column an attribute. It is named as your own
        file; a published data set is named, cited and licensed only where the file has all of its columns, or
        where you say so at the import.
      </p>
      <SearchField
        label="Search personas"
        placeholder="Search personas..."
        q={q}
        onChange={(wanted) => change({ q: wanted, page: null })}
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
      <section className="admin-danger stack gap-2" aria-labelledby="admin-danger">
        <h2 id="admin-danger">Danger zone</h2>
        <p>No new simulation can start without digital twins. Answers of ended runs stay.</p>
        <Button danger size="small" disabled={!number} onClick={() => setDeleting(true)}>
          Delete All
        </Button>
      </section>
      {deleting && <DeletePersonas onClose={() => setDeleting(false)} onDone={changed} />}
    </div>
  );
}

const SAMPLE = `pid,persona_summary,Gender,Age
1,"A retired teacher from Ohio who walks to the shops and reads the news every morning.",Female,65+
2,"A young mechanic from Texas who drives to work and plays football on weekends.",Male,18-29
`;

const saveSample = () =>
  saveFile(new Blob([SAMPLE], { type: 'text/csv;charset=utf-8' }), 'personas-sample.csv');

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
