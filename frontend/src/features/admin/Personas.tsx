import { useState } from 'react';
import { Input, Table, type TableColumnsType } from 'antd';
import { useGet } from '@/api/hooks';
import type { Persona } from '@/api/types';
import { Button } from '@/ui/Button';
import { count } from '@/ui/format';
import { DeletePersonas } from './DeletePersonas';
import { ImportPersonas } from './ImportPersonas';

const columns: TableColumnsType<Persona> = [
  { title: 'Id', dataIndex: 'id', key: 'id', align: 'right', width: 80 },
  { title: 'Name', dataIndex: 'name', key: 'name', width: 180 },
  { title: 'Description', dataIndex: 'description', key: 'description', ellipsis: true },
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
      <Table
        rowKey="id"
        size="small"
        columns={columns}
        dataSource={shown}
        pagination={{ pageSize: 10, hideOnSinglePage: true }}
        scroll={{ x: 700 }}
      />
      {deleting && <DeletePersonas onClose={() => setDeleting(false)} onDone={changed} />}
    </div>
  );
}
