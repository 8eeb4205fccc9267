import { DownloadOutlined, EyeOutlined, HistoryOutlined, LoadingOutlined } from '@ant-design/icons';
import { Button, Tooltip } from 'antd';
import { useNavigate } from 'react-router';
import { hasResults } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { Badge } from '@/ui/Badge';
import { DataTable, type Column } from '@/ui/DataTable';
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
    <div className="row-actions">
      {run.status === 'RUNNING' ? (
        <Tooltip title="Simulation is processing">
          <Button
            type="text"
            aria-label="Simulation is processing, show details"
            icon={<LoadingOutlined />}
            onClick={() => onWatch(run)}
          />
        </Tooltip>
      ) : (
        <Tooltip title="View responses">
          <Button
            type="text"
            aria-label="View responses"
            icon={<EyeOutlined />}
            disabled={!ready}
            onClick={() => void navigate(paths.responses(run.surveyId, run.simulationId))}
          />
        </Tooltip>
      )}
      <Tooltip title={ready ? 'Download responses' : 'Available when simulation completes'}>
        <Button
          type="text"
          aria-label="Download responses"
          icon={<DownloadOutlined />}
          disabled={!ready}
          onClick={() => void download(run)}
        />
      </Tooltip>
      <Tooltip title="Runs of this survey">
        <Button
          type="text"
          aria-label="Runs of this survey"
          icon={<HistoryOutlined />}
          onClick={() => onSurvey(run)}
        />
      </Tooltip>
    </div>
  );
}
