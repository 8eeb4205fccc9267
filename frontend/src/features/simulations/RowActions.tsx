import type { ReactElement } from 'react';
import { Button, Spin } from 'antd';
import { useNavigate } from 'react-router';
import { hasResults } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { RunControls } from '@/runs/RunControls';
import { CrossIcon, DownloadIcon, HistoryIcon, ViewIcon } from '@/ui/icons';
import { useDownload } from './download';

/** The actions on a run of the list. */
export function RowActions({
  run,
  control,
  onChange,
  onWatch,
  onHistory,
}: {
  run: Simulation;
  /** The user may pause, stop and retry it. */
  control: boolean;
  onChange: () => void;
  onWatch: () => void;
  onHistory: () => void;
}) {
  const navigate = useNavigate();
  const download = useDownload();
  const answered = run.successfulRequests > 0;
  const ready = hasResults(run.status) && answered;
  const button = (label: string, icon: ReactElement, onClick: () => void) => (
    <Button type="text" shape="circle" icon={icon} aria-label={label} title={label} onClick={onClick} />
  );
  const running = run.status === 'RUNNING';
  const failed = run.status === 'FAILED';
  return (
    <div className="row-actions run-actions">
      {failed && (
        <span className="run-failed" role="img" aria-label="Simulation failed" title="Simulation failed">
          <CrossIcon />
        </span>
      )}
      {running && button('Simulation is processing, show details', <Spin size="small" />, onWatch)}
      {/* A failed run without answers has nothing to show, one under way grows on its page. */}
      {(failed ? answered : !running || answered) && (
        <Button
          type="text"
          shape="circle"
          icon={<ViewIcon />}
          aria-label="View responses"
          title="View responses"
          disabled={!running && !ready}
          onClick={() => void navigate(paths.responses(run.surveyId, run.simulationId))}
        />
      )}
      {(!failed || answered) && (
        <Button
          type="text"
          shape="circle"
          icon={<DownloadIcon />}
          aria-label="Download responses"
          title={ready ? 'Download responses' : 'Available when simulation completes'}
          disabled={!ready}
          onClick={() => void download(run)}
        />
      )}
      {button('Runs of this survey', <HistoryIcon />, onHistory)}
      {control && <RunControls run={run} icons onChange={onChange} />}
    </div>
  );
}
