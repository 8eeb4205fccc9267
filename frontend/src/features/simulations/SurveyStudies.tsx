import { Alert, Progress, Tag } from 'antd';
import { Link } from 'react-router';
import { failed } from '@/api/client';
import { useAll } from '@/api/hooks';
import { polling } from '@/api/polling';
import { isMoving, percentOf } from '@/api/runs';
import type { components } from '@/api/schema';
import { paths } from '@/paths';
import { answeredWords, displayOf, labels } from '@/runs/display';
import { DataTable, type Column } from '@/ui/DataTable';
import { count, dateAndTime, relativeDate } from '@/ui/format';

type Study = components['schemas']['StudyOverview'];

const POLL_MS = 2000;
/** Studies in a page; their runs follow below. */
const SIZE = 5;

/** The studies of one survey, newest first, each with a link to its page. */
export function SurveyStudies({ surveyId }: { surveyId: number }) {
  const { data: studies, error } = useAll(
    '/api/surveys/{surveyId}/studies',
    { params: { path: { surveyId } } },
    polling(POLL_MS, (latest) => latest?.some(({ status }) => isMoving(status)) ?? false),
  );
  return (
    <section className="survey-studies" aria-label="Studies">
      <h3>Studies</h3>
      {error !== undefined && studies === undefined && (
        <Alert type="error" title={failed('Failed to load studies', error)} />
      )}
      {studies !== undefined && (
        <DataTable rows={studies} rowKey="studyId" columns={columns} name="studies" size={SIZE} />
      )}
    </section>
  );
}

const columns: Column<Study>[] = [
  {
    title: 'Study',
    key: 'study',
    untitled: true,
    render: (_, { studyId, name, note, isValidation }) => (
      <div>
        <Link to={paths.study(studyId)}>
          {name ?? (isValidation ? 'Validation' : 'Study without a name')}
        </Link>
        {note != null && (
          <p className="muted two-lines" title={note}>
            {note}
          </p>
        )}
      </div>
    ),
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
  { title: 'Runs', key: 'runs', align: 'right', render: (_, { runs }) => count(runs.length) },
  {
    title: 'Status',
    key: 'status',
    render: (_, { status }) => {
      const { text, color } = labels[displayOf(status)];
      return <Tag color={color}>{text}</Tag>;
    },
  },
  { title: 'Progress', key: 'progress', width: '30%', render: (_, study) => <StudyProgress study={study} /> },
];

function StudyProgress({ study }: { study: Study }) {
  return (
    <div className="study-progress">
      <Progress
        size="small"
        percent={percentOf(study)}
        success={{ percent: percentOf(study, study.successfulRequests), strokeColor: 'var(--brand)' }}
        strokeColor="var(--bad)"
        status="normal"
        showInfo={false}
        aria-label={`Progress of ${study.name ?? 'the study'}`}
      />
      <span className="muted">{answeredWords(study)}</span>
    </div>
  );
}
