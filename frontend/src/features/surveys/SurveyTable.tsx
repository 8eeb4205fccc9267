import { Button, Tag } from 'antd';
import { Link } from 'react-router';
import type { Survey } from '@/api/types';
import { paths } from '@/paths';
import { DataTable, type Column } from '@/ui/DataTable';
import { count, dateAndTime, relativeDate } from '@/ui/format';
import { LinkButton } from '@/ui/Page';
import { usePageInAddress } from '@/ui/titleAndAddress';
import { arranged, type ListView, type SortKey } from './listView';
import { SurveyMenu } from './SurveyMenu';
import { isRunning, isUnderWay, useLiveProgress } from './liveSurveys';
import { SurveyTitle } from './SurveyTitle';

interface SurveyTableProps {
  surveys: Survey[];
  /** Ids of surveys whose simulation was started but is not yet seen running. */
  pending: ReadonlySet<number>;
  /** The state of a running survey changed. */
  onChange: () => void;
  onDuplicate: (survey: Survey) => void;
  onStart: (survey: Survey) => void;
  view: ListView;
  onView: (part: Partial<ListView>) => void;
}

export function SurveyTable({
  surveys,
  pending,
  onChange,
  onDuplicate,
  onStart,
  view,
  onView,
}: SurveyTableProps) {
  const page = usePageInAddress();
  const sorted = (key: SortKey) => ({
    key,
    sorter: true,
    sortOrder: view.sort === key ? (view.down ? ('descend' as const) : ('ascend' as const)) : null,
  });
  const columns: Column<Survey>[] = [
    {
      title: 'Survey',
      ...sorted('survey'),
      untitled: true,
      render: (_, survey) => <SurveyTitle survey={survey} />,
    },
    {
      title: 'Group',
      ...sorted('group'),
      width: 118,
      render: (_, { group, groupId }) => group?.group_name ?? `#${groupId}`,
    },
    {
      title: 'Status',
      key: 'status',
      width: 98,
      render: (_, survey) => (
        <div className="row-actions">
          {survey.visibility === 'PUBLIC' ? <Tag color="processing">Public</Tag> : <Tag>Private</Tag>}
          <ActiveTag survey={survey} onChange={onChange} />
        </div>
      ),
    },
    {
      title: 'Questions',
      ...sorted('questions'),
      width: 112,
      render: (_, { questionCount }) => count(questionCount),
    },
    {
      title: 'Last run',
      ...sorted('run'),
      width: 112,
      render: (_, survey) => <LastRun survey={survey} />,
    },
    {
      title: 'Changed',
      ...sorted('changed'),
      width: 112,
      render: (_, { updatedAt }) => <span title={dateAndTime(updatedAt)}>{relativeDate(updatedAt)}</span>,
    },
    {
      title: 'Actions',
      key: 'actions',
      width: 318,
      untitled: true,
      render: (_, survey) => (
        <div className="row-actions survey-actions">
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
  return (
    <DataTable
      rows={arranged(surveys, view)}
      rowKey={({ id }) => id}
      columns={columns}
      name="surveys"
      turned={page}
      tableLayout="fixed"
      empty={view.q === '' ? undefined : `No survey has “${view.q}” in its title, description or group`}
      onChange={(_pages, _filters, sorter) => {
        const { columnKey, order } = Array.isArray(sorter) ? {} : sorter;
        onView({ sort: order == null ? null : (columnKey as SortKey), down: order === 'descend' });
      }}
    />
  );
}

/** When the latest run ended, with the way to it. */
function LastRun({ survey }: { survey: Survey }) {
  const { id, simulation_completed_at: completed, simulation_status: status } = survey;
  if (status == null) return <span className="muted">None</span>;
  const state = status.charAt(0) + status.slice(1).toLowerCase();
  return (
    <Link to={paths.runsOf(id)} title={completed == null ? undefined : dateAndTime(completed)}>
      {completed == null ? state : relativeDate(completed)}
      {completed != null && status !== 'COMPLETED' && `, ${state.toLowerCase()}`}
    </Link>
  );
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
