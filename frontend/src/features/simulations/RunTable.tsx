import { useState } from 'react';
import { Button, Spin, Tag } from 'antd';
import { useNavigate } from 'react-router';
import { hasResults } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { DataTable, type Column } from '@/ui/DataTable';
import { count, dateAndTime, relativeDate } from '@/ui/format';
import { CrossIcon, DownloadIcon, HistoryIcon, ViewIcon } from '@/ui/icons';
import { displayOf, labels, shortId } from './display';
import { useDownload } from './download';
import { ProcessingDialog } from './ProcessingDialog';
import { RunProgress } from './RunProgress';
import { SurveyHistory } from './SurveyHistory';

/** The runs of all surveys, and the dialogs that tell more about one of them. */
export function RunTable({ runs, onChange }: { runs: Simulation[]; onChange: () => Promise<unknown> }) {
  const [watched, setWatched] = useState<Simulation | null>(null);
  const [chosen, setChosen] = useState<Simulation | null>(null);
  const columns: Column<Simulation>[] = [
    {
      title: 'Survey',
      key: 'survey',
      untitled: true,
      render: (_, run) => (
        <div className="survey-title">
          <strong>{run.surveyTitle}</strong>
          <p className="muted">
            <code>{shortId(run.simulationId)}</code> {run.demoModel && <Tag>Demo model</Tag>}
          </p>
        </div>
      ),
    },
    { title: 'Digital Twins', key: 'twins', align: 'right', render: (_, run) => count(run.personaCount) },
    {
      title: 'Status',
      key: 'status',
      width: '17rem',
      render: (_, run) => {
        const { text, color } = labels[displayOf(run.status)];
        return (
          <div className="run-status">
            <Tag color={color} className={run.status === 'RUNNING' ? 'pulsing' : ''}>
              {text}
            </Tag>
            <RunProgress run={run} onEnd={onChange} />
          </div>
        );
      },
    },
    {
      title: 'Date',
      key: 'date',
      render: (_, { created_at: created }) => (
        <time dateTime={created} title={dateAndTime(created)}>
          {relativeDate(created)}
        </time>
      ),
    },
    {
      title: 'Actions',
      key: 'actions',
      untitled: true,
      render: (_, run) => (
        <RowActions run={run} onWatch={() => setWatched(run)} onHistory={() => setChosen(run)} />
      ),
    },
  ];
  return (
    <>
      <DataTable rows={runs} rowKey={(run) => run.simulationId} columns={columns} name="simulations" />
      {watched !== null && (
        <ProcessingDialog run={watched} onClose={() => setWatched(null)} onRefresh={onChange} />
      )}
      {chosen !== null && (
        <SurveyHistory
          surveyId={chosen.surveyId}
          title={chosen.surveyTitle}
          onClose={() => setChosen(null)}
        />
      )}
    </>
  );
}

const icon = { type: 'text', shape: 'circle' } as const;

function RowActions({
  run,
  onWatch,
  onHistory,
}: {
  run: Simulation;
  onWatch: () => void;
  onHistory: () => void;
}) {
  const navigate = useNavigate();
  const download = useDownload();
  const ready = hasResults(run.status) && run.successfulRequests > 0;
  const history = (
    <Button
      {...icon}
      icon={<HistoryIcon />}
      aria-label="Runs of this survey"
      title="Runs of this survey"
      onClick={onHistory}
    />
  );
  if (run.status === 'FAILED') {
    return (
      <div className="row-actions run-actions">
        <span className="run-failed" role="img" aria-label="Simulation failed" title="Simulation failed">
          <CrossIcon />
        </span>
        {history}
      </div>
    );
  }
  return (
    <div className="row-actions run-actions">
      {run.status === 'RUNNING' ? (
        <Button
          {...icon}
          icon={<Spin size="small" />}
          aria-label="Simulation is processing, show details"
          title="Simulation is processing, show details"
          onClick={onWatch}
        />
      ) : (
        <Button
          {...icon}
          icon={<ViewIcon />}
          aria-label="View responses"
          title="View responses"
          disabled={!ready}
          onClick={() => void navigate(paths.responses(run.surveyId, run.simulationId))}
        />
      )}
      <Button
        {...icon}
        icon={<DownloadIcon />}
        aria-label="Download responses"
        title={ready ? 'Download responses' : 'Available when simulation completes'}
        disabled={!ready}
        onClick={() => void download(run)}
      />
      {history}
    </div>
  );
}
