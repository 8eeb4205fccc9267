import { Button, Tag } from 'antd';
import { useAll } from '@/api/hooks';
import { useSession } from '@/api/session';
import type { Survey } from '@/api/types';
import { paths } from '@/paths';
import { DataTable, type Column } from '@/ui/DataTable';
import { LinkButton, Panel } from '@/ui/Page';
import { usePageInAddress } from '@/ui/titleAndAddress';
import { SurveyTitle } from './SurveyTitle';

/** The surveys of others that the user may read: public ones of their groups, and all of the groups that they own. */
export function SharedSurveys({ onDuplicate }: { onDuplicate: (survey: Survey) => void }) {
  const user = useSession();
  const page = usePageInAddress('shared');
  const { data } = useAll('/api/surveys/my', { params: { query: { shared: true } } });
  const surveys = data?.filter(({ userId }) => userId !== user?.id) ?? [];
  if (surveys.length === 0) return null;
  const columns: Column<Survey>[] = [
    {
      title: 'Survey',
      key: 'survey',
      untitled: true,
      render: (_, survey) => <SurveyTitle survey={survey} />,
    },
    {
      title: 'Group',
      key: 'group',
      render: (_, { group, groupId }) => group?.group_name ?? `#${groupId}`,
    },
    {
      title: 'Status',
      key: 'status',
      render: (_, { visibility }) =>
        visibility === 'PUBLIC' ? <Tag color="processing">Public</Tag> : <Tag>Private</Tag>,
    },
    {
      title: 'Actions',
      key: 'actions',
      untitled: true,
      render: (_, survey) => (
        <div className="row-actions">
          <LinkButton to={paths.survey(survey.id)} size="small" color="primary" variant="filled">
            View Questions
          </LinkButton>
          <Button size="small" onClick={() => onDuplicate(survey)}>
            Duplicate Survey
          </Button>
          {survey.simulationId != null && (
            <LinkButton to={paths.runsOf(survey.id)} size="small">
              Results
            </LinkButton>
          )}
        </div>
      ),
    },
  ];
  return (
    <Panel title="Shared in your groups">
      <DataTable
        rows={surveys}
        rowKey={({ id }) => id}
        columns={columns}
        name="shared surveys"
        turned={page}
      />
    </Panel>
  );
}
