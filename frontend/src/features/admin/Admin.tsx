import { Badge, Tabs } from 'antd';
import { useAll } from '@/api/hooks';
import { Page, Panel } from '@/ui/Page';
import { useAddress } from '@/ui/titleAndAddress';
import { AccessRequests } from './AccessRequests';
import { ModelServers } from './ModelServers';
import { Personas } from './Personas';
import { Queue } from './Queue';
import './admin.css';

/** The page of super admins. The address has the open tab. */
export default function Admin() {
  const [address, change] = useAddress();
  // Those that the tab lists, too.
  const { data: requests = [] } = useAll('/api/access-requests', {});
  const waiting = requests.filter(({ status }) => status === 'pending').length;
  return (
    <Page title="Administration" subtitle="Access requests, digital twins, queue and workers, model servers">
      <Panel>
        <Tabs
          destroyOnHidden
          activeKey={address.get('tab') ?? 'requests'}
          onChange={(tab) => change({ tab: tab === 'requests' ? null : tab, q: null, page: null })}
          items={[
            {
              key: 'requests',
              label: (
                <>
                  Access Requests{' '}
                  {waiting > 0 && <Badge count={waiting} color="var(--brand)" title={`${waiting} waiting`} />}
                </>
              ),
              children: <AccessRequests />,
            },
            { key: 'personas', label: 'Personas', children: <Personas /> },
            { key: 'queue', label: 'Queue and Workers', children: <Queue /> },
            { key: 'servers', label: 'Model servers', children: <ModelServers /> },
          ]}
        />
      </Panel>
    </Page>
  );
}
