import { useSession } from '@/api/session';
import { GroupCards } from './GroupCards';
import { MyOverview } from './MyOverview';

/** Super admins see every group; others what they have under way. */
export default function Dashboard() {
  return useSession()?.role === 'super_admin' ? <GroupCards /> : <MyOverview />;
}
