import { useAll } from '@/api/hooks';
import { GroupGate } from '@/ui/GroupGate';
import { SurveyList } from './SurveyList';

export default function SurveyBuilder() {
  // Together with the groups that the gate asks for, not after them.
  useAll('/api/surveys/my', {});
  return (
    <GroupGate
      title="My Surveys"
      text="You need to be a member of at least one group to access the Survey Builder. Please contact your administrator to be added to a group."
    >
      <SurveyList />
    </GroupGate>
  );
}
