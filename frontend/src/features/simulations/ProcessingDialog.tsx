import { useState } from 'react';
import { Button, Descriptions, Flex } from 'antd';
import type { Simulation } from '@/api/types';
import { Dialog } from '@/ui/Dialog';
import { count, dateAndTime } from '@/ui/format';

/** About a run that is still going. */
export function ProcessingDialog({
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
      <Descriptions
        column={1}
        size="small"
        items={[
          { key: 'survey', label: 'Survey', children: run.surveyTitle },
          { key: 'twins', label: 'Digital Twins', children: count(run.personaCount) },
          { key: 'questions', label: 'Questions', children: run.totalQuestions },
          { key: 'started', label: 'Started', children: dateAndTime(run.startedAt ?? run.created_at) },
        ]}
      />
      <p>It usually takes 1-3 minutes until all digital twins have answered.</p>
      <p className="muted">Estimated time: 2-4 minutes</p>
      <Flex justify="end" gap="small" className="dialog-foot">
        <Button onClick={onClose}>Close</Button>
        <Button type="primary" loading={refreshing} disabled={refreshing} onClick={() => void refresh()}>
          Refresh Status
        </Button>
      </Flex>
    </Dialog>
  );
}
