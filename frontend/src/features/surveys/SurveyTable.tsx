import { Button, Tag } from 'antd';
import type { Survey } from '@/api/types';
import { paths } from '@/paths';
import { DataTable, type Column } from '@/ui/DataTable';
import { LinkButton } from '@/ui/Page';
import { SurveyMenu } from './SurveyMenu';
import { isRunning, isUnderWay, useLiveProgress } from './live';

interface SurveyTableProps {
  surveys: Survey[];
  /** Ids of surveys whose simulation was started but is not yet seen running. */
  pending: ReadonlySet<number>;
  /** The state of a running survey changed. */
  onChange: () => void;
  onDuplicate: (survey: Survey) => void;
  onStart: (survey: Survey) => void;
}

export function SurveyTable({ surveys, pending, onChange, onDuplicate, onStart }: SurveyTableProps) {
  const columns: Column<Survey>[] = [
    {
      title: 'Survey',
      key: 'survey',
      untitled: true,
      render: (_, { title, description }) => (
        <div className="survey-title">
          <strong>{title}</strong>
          {description !== '' && <p className="muted">{description}</p>}
        </div>
      ),
    },
    {
      title: 'Group',
      key: 'group',
      render: (_, { group, groupId }) => group?.group_name ?? `#${groupId}`,
    },
    {
      title: 'Status',
      key: 'status',
      render: (_, survey) => (
        <div className="row-actions">
          {survey.visibility === 'PUBLIC' ? <Tag color="processing">Public</Tag> : <Tag>Private</Tag>}
          <ActiveTag survey={survey} onChange={onChange} />
        </div>
      ),
    },
    {
      title: 'Actions',
      key: 'actions',
      untitled: true,
      render: (_, survey) => (
        <div className="row-actions">
          <LinkButton to={paths.survey(survey.id)} size="small" color="primary" variant="filled">
            Manage Questions
          </LinkButton>
          <Button size="small" onClick={() => onDuplicate(survey)}>
            Duplicate Survey
          </Button>
          <Button
            size="small"
            type="primary"
            disabled={isUnderWay(survey) || pending.has(survey.id)}
            onClick={() => onStart(survey)}
          >
            Start Simulation
          </Button>
          <SurveyMenu survey={survey} />
        </div>
      ),
    },
  ];
  return <DataTable rows={surveys} rowKey={({ id }) => id} columns={columns} name="surveys" />;
}

/** Shows that the survey's simulation is running, and how far it is. */
function ActiveTag({ survey, onChange }: { survey: Survey; onChange: () => void }) {
  const progress = useLiveProgress(survey, onChange);
  if (!isRunning(survey)) return null;
  return (
    <>
      <Tag color="success" className="pulsing">
        ACTIVE
      </Tag>
      {progress !== undefined && <span className="muted">{Math.round(progress.progressPercentage)} %</span>}
    </>
  );
}
