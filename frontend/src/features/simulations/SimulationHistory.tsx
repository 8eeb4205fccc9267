import { useAll } from '@/api/hooks';
import { GroupGate } from '@/ui/GroupGate';
import { RunList } from './RunList';

export default function SimulationHistory() {
  // Together with the groups that the gate asks for, not after them.
  useAll('/api/simulations', {});
  return (
    <GroupGate
      title="Simulation History"
      text="You need to be a member of at least one group to view simulation history. Please contact your administrator to be added to a group."
    >
      <RunList />
    </GroupGate>
  );
}
