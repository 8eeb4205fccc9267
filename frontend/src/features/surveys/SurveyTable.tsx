import type { Survey } from '@/api/types';
import { paths } from '@/paths';
import { Badge } from '@/ui/Badge';
import { Button, LinkButton } from '@/ui/Button';
import { DataTable, type Column } from '@/ui/DataTable';
import { isRunning, isUnderWay, useLiveProgress } from './live';

interface SurveyTableProps {
  surveys: Survey[];
  /** Surveys whose start was asked for and not yet seen running. */
  pending: ReadonlySet<number>;
  /** Something about a running survey changed. */
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
      render: ({ title, description }) => (
        <div className="survey-title">
          <strong>{title}</strong>
          {description !== '' && <p className="muted">{description}</p>}
        </div>
      ),
    },
    {
      title: 'Group',
      key: 'group',
      render: ({ group, groupId }) => group?.group_name ?? `#${groupId}`,
    },
    {
      title: 'Status',
      key: 'status',
      render: (survey) => (
        <div className="row-actions">
          <Badge tone={survey.visibility === 'PUBLIC' ? 'brand' : 'plain'}>
            {survey.visibility === 'PUBLIC' ? 'Public' : 'Private'}
          </Badge>
          <ActiveBadge survey={survey} onChange={onChange} />
        </div>
      ),
    },
    {
      title: 'Actions',
      key: 'actions',
      untitled: true,
      render: (survey) => (
        <div className="row-actions">
          <LinkButton to={paths.survey(survey.id)} size="sm" variant="secondary">
            Manage Questions
          </LinkButton>
          <Button size="sm" variant="outline" onClick={() => onDuplicate(survey)}>
            Duplicate Survey
          </Button>
          <Button
            size="sm"
            disabled={isUnderWay(survey) || pending.has(survey.id)}
            onClick={() => onStart(survey)}
          >
            Start Simulation
          </Button>
        </div>
      ),
    },
  ];
  return <DataTable rows={surveys} keyOf={({ id }) => id} columns={columns} name="surveys" />;
}

/** Pulses while the survey's simulation runs. */
function ActiveBadge({ survey, onChange }: { survey: Survey; onChange: () => void }) {
  const progress = useLiveProgress(survey, onChange);
  if (!isRunning(survey)) return null;
  return (
    <>
      <Badge tone="good" pulsing>
        ACTIVE
      </Badge>
      {progress !== undefined && <span className="muted">{Math.round(progress.progressPercentage)} %</span>}
    </>
  );
}
