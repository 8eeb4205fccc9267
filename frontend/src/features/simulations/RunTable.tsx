import { useNavigate } from 'react-router';
import { hasResults } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { Badge } from '@/ui/Badge';
import { DataTable, type Column } from '@/ui/DataTable';
import { IconButton } from '@/ui/IconButton';
import { DownloadIcon, HistoryIcon, ViewIcon } from '@/ui/icons';
import { LoadingMark } from '@/ui/Loading';
import { count, dateAndTime, relativeDate } from '@/ui/format';
import { displayOf, labels, shortId } from './display';
import { RunProgress } from './RunProgress';
import { useDownload } from './useDownload';

interface RunTableProps {
  runs: Simulation[];
  onWatch: (run: Simulation) => void;
  onSurvey: (run: Simulation) => void;
  onChange: () => void;
}

export function RunTable({ runs, onWatch, onSurvey, onChange }: RunTableProps) {
  const columns: Column<Simulation>[] = [
    {
      title: 'Survey',
      key: 'survey',
      untitled: true,
      render: (run) => (
        <div className="survey-title">
          <strong>{run.surveyTitle}</strong>
          <p className="muted">
            <code>{shortId(run.simulationId)}</code> {run.demoModel && <Badge>Demo model</Badge>}
          </p>
        </div>
      ),
    },
    { title: 'Digital Twins', key: 'twins', align: 'right', render: (run) => count(run.personaCount) },
    {
      title: 'Status',
      key: 'status',
      width: '17rem',
      render: (run) => {
        const { text, tone } = labels[displayOf(run.status)];
        return (
          <div className="run-status">
            <Badge tone={tone} pulsing={run.status === 'RUNNING'}>
              {text}
            </Badge>
            <RunProgress run={run} onEnd={onChange} />
          </div>
        );
      },
    },
    {
      title: 'Date',
      key: 'date',
      render: ({ created_at: created }) => (
        <time dateTime={created} title={dateAndTime(created)}>
          {relativeDate(created)}
        </time>
      ),
    },
    {
      title: 'Actions',
      key: 'actions',
      untitled: true,
      render: (run) => <Actions run={run} onWatch={onWatch} onSurvey={onSurvey} />,
    },
  ];
  return <DataTable rows={runs} keyOf={(run) => run.simulationId} columns={columns} name="simulations" />;
}

function Actions({
  run,
  onWatch,
  onSurvey,
}: Pick<RunTableProps, 'onWatch' | 'onSurvey'> & { run: Simulation }) {
  const navigate = useNavigate();
  const download = useDownload();
  const ready = hasResults(run.status) && run.successfulRequests > 0;
  return (
    <div className="row-actions run-actions">
      {run.status === 'RUNNING' ? (
        <IconButton label="Simulation is processing, show details" onClick={() => onWatch(run)}>
          <LoadingMark />
        </IconButton>
      ) : (
        <IconButton
          label="View responses"
          disabled={!ready}
          onClick={() => void navigate(paths.responses(run.surveyId, run.simulationId))}
        >
          <ViewIcon />
        </IconButton>
      )}
      <IconButton
        label="Download responses"
        title={ready ? 'Download responses' : 'Available when simulation completes'}
        disabled={!ready}
        onClick={() => void download(run)}
      >
        <DownloadIcon />
      </IconButton>
      <IconButton label="Runs of this survey" onClick={() => onSurvey(run)}>
        <HistoryIcon />
      </IconButton>
    </div>
  );
}
