import useSWR from 'swr';
import { api, type Answer } from '@/api/client';
import type { Simulation } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { count } from '@/ui/format';

/** The most that the server answers with at once. */
const PAGE = 500;

type Twin = Answer<'/api/simulations/{simulationId}/assignments', 'get'>['personas'][number];

interface Row {
  key: string;
  node: string;
  arm: string;
  twins: number;
}

const columns: Column<Row>[] = [
  { title: 'Arms', key: 'node', dataIndex: 'node' },
  { title: 'Arm', key: 'arm', dataIndex: 'arm' },
  { title: 'Digital twins', key: 'twins', align: 'right', render: (_, row) => count(row.twins) },
];

/** How many twins each arm of the survey's flow was dealt to; nothing in a run of a plain survey. */
export function DealtArms({ run }: { run: Simulation }) {
  // Dealt once, at the start.
  const { data: twins = [] } = useSWR(['assignments', run.simulationId], () => everybody(run.simulationId), {
    revalidateOnFocus: false,
    shouldRetryOnError: false,
  });
  const rows = countArms(twins);
  if (rows.length === 0) return null;
  return (
    <>
      <h2 className="run-overview-title">What twins were dealt</h2>
      <DataTable rows={rows} rowKey="key" columns={columns} name="arms" />
    </>
  );
}

async function everybody(simulationId: string): Promise<Twin[]> {
  const twins: Twin[] = [];
  for (;;) {
    const { personas, total } = await api.get('/api/simulations/{simulationId}/assignments', {
      params: { path: { simulationId }, query: { limit: PAGE, offset: twins.length } },
    });
    twins.push(...personas);
    if (personas.length === 0 || twins.length >= total) return twins;
  }
}

/** Counts twins by random node and arm, in the order of their names. */
function countArms(twins: readonly Twin[]): Row[] {
  const rows = new Map<string, Row>();
  for (const { arms } of twins) {
    for (const [node, arm] of Object.entries(arms)) {
      const key = JSON.stringify([node, arm]);
      const row = rows.get(key) ?? { key, node, arm: arm.replaceAll('>', ', then '), twins: 0 };
      rows.set(key, { ...row, twins: row.twins + 1 });
    }
  }
  return [...rows.values()].sort((a, b) => a.node.localeCompare(b.node) || a.arm.localeCompare(b.arm));
}
