import { useState } from 'react';
import { App, Button, Flex, Tag } from 'antd';
import { Link } from 'react-router';
import { canRetry, isActive } from '@/api/runs';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { displayOf, elapsed, labels, shortId } from '@/runs/display';
import { DataTable, type Column } from '@/ui/DataTable';
import { count, dateAndTime, relativeDate } from '@/ui/format';
import { usePageInAddress } from '@/ui/titleAndAddress';
import { ProcessingDialog } from './ProcessingDialog';
import { retryAll } from './retryAll';
import { RowActions } from './RowActions';
import { RunOutcome, RunProgress } from './RunProgress';
import { SurveyHistory } from './SurveyHistory';

/** The runs of all surveys, and the dialogs that tell more about one of them. */
export function RunTable({
  runs,
  mayControl,
  onChange,
}: {
  runs: Simulation[];
  /** Whether the user may pause, stop and retry a run. */
  mayControl: (run: Simulation) => boolean;
  onChange: () => Promise<unknown>;
}) {
  const { message } = App.useApp();
  const page = usePageInAddress();
  const [watched, setWatched] = useState<string | null>(null);
  const [chosen, setChosen] = useState<Simulation | null>(null);
  const [selected, setSelected] = useState<string[]>([]);
  const [retrying, setRetrying] = useState(false);
  const retryable = (run: Simulation) => canRetry(run) && mayControl(run);
  const again = runs.filter((run) => selected.includes(run.simulationId) && retryable(run));
  const retry = async () => {
    setRetrying(true);
    const { done, failed } = await retryAll(again);
    setRetrying(false);
    setSelected([]);
    if (done > 0)
      void message.info(
        `Asking the failed requests of ${count(done)} ${done === 1 ? 'simulation' : 'simulations'} again`,
      );
    for (const words of failed) void message.error(words);
    await onChange();
  };
  const columns: Column<Simulation>[] = [
    {
      title: 'Survey',
      key: 'survey',
      untitled: true,
      render: (_, run) => (
        <div className="run-title">
          <Link className="three-lines" to={paths.responses(run.surveyId, run.simulationId)}>
            {run.name ?? run.surveyTitle}
          </Link>
          <p className="muted">
            {run.name != null && <>{run.surveyTitle} · </>}
            {run.groupName} · <code>{shortId(run.simulationId)}</code>
            {run.studyId != null && (
              <>
                {' '}
                · <Link to={paths.study(run.studyId)}>study</Link>
              </>
            )}
          </p>
          {run.note != null && (
            <p className="muted two-lines" title={run.note}>
              {run.note}
            </p>
          )}
        </div>
      ),
    },
    {
      title: 'Digital Twins',
      key: 'twins',
      align: 'right',
      render: (_, run) => (
        <span className="run-size">
          {count(run.personaCount)}{' '}
          <span className="muted">
            × {count(run.totalQuestions)} {run.totalQuestions === 1 ? 'question' : 'questions'}
          </span>
        </span>
      ),
    },
    {
      title: 'Status',
      key: 'status',
      width: '16.5rem',
      render: (_, run) => {
        const { text, color } = labels[displayOf(run.status)];
        return (
          <div className="run-status">
            <Tag color={color} className={run.status === 'RUNNING' ? 'pulsing' : ''}>
              {text}
            </Tag>
            {isActive(run.status) ? <RunProgress run={run} onEnd={onChange} /> : <RunOutcome run={run} />}
          </div>
        );
      },
    },
    {
      title: 'Date',
      key: 'date',
      render: (_, { created_at: created, startedBy }) => (
        <div className="run-start">
          <time dateTime={created} title={dateAndTime(created)}>
            {relativeDate(created)}
          </time>
          {startedBy != null && <p className="muted truncate">by {startedBy}</p>}
        </div>
      ),
    },
    {
      title: 'Duration',
      key: 'duration',
      className: 'run-extra',
      align: 'right',
      render: (_, run) => <span className="run-duration">{elapsed(run) ?? '–'}</span>,
    },
    { title: 'Credits', key: 'credits', align: 'right', render: (_, run) => count(run.successfulRequests) },
    {
      title: 'Model',
      key: 'model',
      className: 'run-extra',
      render: (_, { demoModel, parameters }) =>
        demoModel ? <Tag>Demo model</Tag> : <span className="long-word">{parameters.model}</span>,
    },
    {
      title: 'Actions',
      key: 'actions',
      untitled: true,
      render: (_, run) => (
        <RowActions
          run={run}
          control={mayControl(run)}
          onChange={() => void onChange()}
          onWatch={() => setWatched(run.simulationId)}
          onHistory={() => setChosen(run)}
        />
      ),
    },
  ];
  const watchedRun = runs.find(({ simulationId }) => simulationId === watched);
  return (
    <>
      {again.length > 0 && (
        <Flex gap="small" align="center" className="run-selection">
          <span role="status">{count(again.length)} chosen</span>
          <Button
            size="small"
            type="primary"
            loading={retrying}
            disabled={retrying}
            onClick={() => void retry()}
          >
            {retrying
              ? 'Retrying...'
              : `Retry ${count(again.reduce((sum, run) => sum + run.failedRequests, 0))} failed requests`}
          </Button>
          <Button size="small" type="text" onClick={() => setSelected([])}>
            Clear
          </Button>
        </Flex>
      )}
      <DataTable<Simulation>
        rows={runs}
        rowKey={(run) => run.simulationId}
        columns={columns}
        name="simulations"
        turned={page}
        {...(runs.some(retryable) && {
          rowSelection: {
            selectedRowKeys: selected,
            preserveSelectedRowKeys: true,
            onChange: (keys) => setSelected(keys.map(String)),
            getCheckboxProps: (run) => ({
              disabled: !retryable(run),
              'aria-label': `Choose ${run.name ?? run.surveyTitle} ${shortId(run.simulationId)}`,
            }),
          },
        })}
      />
      {watchedRun !== undefined && (
        <ProcessingDialog
          run={watchedRun}
          control={mayControl(watchedRun)}
          onClose={() => setWatched(null)}
          onRefresh={onChange}
        />
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
