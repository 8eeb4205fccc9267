import { Tabs } from 'antd';
import { Page, Panel } from '@/ui/Page';
import { AccessRequests } from './AccessRequests';
import { Personas } from './Personas';
import { Queue } from './Queue';
import './admin.css';

/** What only super admins do. */
export default function Admin() {
  return (
    <Page title="Administration" subtitle="Access requests, digital twins, queue and workers">
      <Panel>
        <Tabs
          destroyOnHidden
          items={[
            { key: 'requests', label: 'Access Requests', children: <AccessRequests /> },
            { key: 'personas', label: 'Personas', children: <Personas /> },
            { key: 'queue', label: 'Queue and Workers', children: <Queue /> },
          ]}
        />
      </Panel>
    </Page>
  );
}
