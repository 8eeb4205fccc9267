import { GroupGate } from '@/ui/GroupGate';
import { RunList } from './RunList';

export default function SimulationHistory() {
  return (
    <GroupGate
      title="Simulation History"
      text="You need to be a member of at least one group to view simulation history. Please contact your administrator to be added to a group."
    >
      <RunList />
    </GroupGate>
  );
}
