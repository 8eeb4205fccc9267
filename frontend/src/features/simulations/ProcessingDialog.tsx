import { useState } from 'react';
import type { Simulation } from '@/api/types';
import { Button } from '@/ui/Button';
import { Dialog } from '@/ui/antd/Dialog';
import { count, dateAndTime } from '@/ui/format';

/** What a run that is still going is about. */
export default function ProcessingDialog({
  run,
  onClose,
  onRefresh,
}: {
  run: Simulation;
  onClose: () => void;
  onRefresh: () => Promise<unknown>;
}) {
  const [refreshing, setRefreshing] = useState(false);
  const refresh = async () => {
    setRefreshing(true);
    await onRefresh();
    onClose();
  };
  return (
    <Dialog title="Simulation Processing" onClose={onClose}>
      <dl className="run-facts">
        <dt>Survey</dt>
        <dd>{run.surveyTitle}</dd>
        <dt>Digital Twins</dt>
        <dd>{count(run.personaCount)}</dd>
        <dt>Questions</dt>
        <dd>{run.totalQuestions}</dd>
        <dt>Started</dt>
        <dd>{dateAndTime(run.startedAt ?? run.created_at)}</dd>
      </dl>
      <p>It usually takes 1-3 minutes until all digital twins have answered.</p>
      <p className="muted">Estimated time: 2-4 minutes</p>
      <div className="dialog-buttons">
        <Button variant="outline" onClick={onClose}>
          Close
        </Button>
        <Button loading={refreshing} onClick={() => void refresh()}>
          Refresh Status
        </Button>
      </div>
    </Dialog>
  );
}
