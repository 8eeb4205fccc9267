import { useEffect, useRef, useState } from 'react';
import { Alert, Button } from 'antd';
import { api, ApiError, failed } from '@/api/client';
import { refresh, useGet } from '@/api/hooks';
import { polling } from '@/api/polling';
import { isActive } from '@/api/runs';
import type { Persona, Progress, Question, Survey } from '@/api/types';
import type { MatrixRow, RunAddress } from '@/api/types';
import { rowsInOrder } from '@/question-types/answerRows';
import { mute } from '@/runs/watched';
import { Dialog } from '@/ui/Dialog';
import { count } from '@/ui/format';
import { Loading } from '@/ui/Page';
import { Piped } from '@/ui/Piped';

const PROGRESS_MS = 1000;
const READ_ONCE = { revalidateOnFocus: false, revalidateIfStale: false };

/**
 * One twin's answers, with who it is, before many are paid for. A copy of the survey is asked and deleted afterwards: a
 * run of the survey itself would lock it.
 */
export function AskOneTwin({
  survey,
  questions,
  available,
  onClose,
}: {
  survey: Survey;
  questions: Question[];
  /** The user's credits, where they are known. */
  available: number | undefined;
  onClose: () => void;
}) {
  const drawn = useGet('/api/personas/random/{n}', { params: { path: { n: 1 } } }, READ_ONCE);
  const twin = drawn.data?.[0];
  const [run, setRun] = useState<RunAddress | null>(null);
  const [busy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const progress = useGet(
    run === null ? null : '/api/simulations/{simulationId}/progress',
    { params: { path: { simulationId: run?.simulationId ?? '' } } },
    polling<Progress>(PROGRESS_MS, (latest) => latest === undefined || isActive(latest.simulationStatus)),
  );
  const over = progress.data !== undefined && !isActive(progress.data.simulationStatus);
  const answers = useGet(
    run !== null && over ? '/api/surveys/{surveyId}/simulation/{simulationId}/responses/matrix' : null,
    { params: { path: run ?? { surveyId: 0, simulationId: '' } } },
    READ_ONCE,
  );
  const row = answers.data?.[0];
  const short = available !== undefined && available < questions.length;

  // Deletes the copy when the dialog closes.
  const asked = useRef<RunAddress | null>(null);
  const gone = useRef(false);
  useEffect(() => {
    gone.current = false;
    return () => {
      gone.current = true;
      if (asked.current !== null) void forget(asked.current);
    };
  }, []);
  const drop = () => {
    if (asked.current !== null) void forget(asked.current);
    asked.current = null;
    setRun(null);
  };

  const ask = async (who: Persona) => {
    setBusy(true);
    setError(null);
    let copy: number | null = null;
    try {
      const { duplicatedSurvey } = await api.post('/api/surveys/{surveyId}/duplicate', {
        params: { path: { surveyId: survey.id } },
        body: { title: `${survey.title} (one twin)`.slice(-500) },
      });
      copy = duplicatedSurvey.id;
      const { simulationId } = await api.post('/api/simulations/survey/{surveyId}/start', {
        params: { path: { surveyId: copy } },
        body: { personaCount: 1, isRandomSelection: false, selectedPersonaIds: [who.id] },
      });
      mute(simulationId);
      asked.current = { surveyId: copy, simulationId };
      if (gone.current) void forget(asked.current);
      setRun(asked.current);
    } catch (failure) {
      setError(failed('Failed to ask a twin', failure));
      if (copy !== null) void forget({ surveyId: copy });
    }
    setBusy(false);
  };
  return (
    <Dialog
      title="Ask one twin"
      size="lg"
      busy={busy}
      onClose={onClose}
      {...(run === null && {
        action: {
          text: `Ask for ${count(questions.length)} credits`,
          busyText: 'Asking...',
          disabled: twin === undefined || short,
          onClick: () => {
            if (twin !== undefined) void ask(twin);
          },
        },
      })}
    >
      <div className="one-twin">
        {error !== null && <Alert type="error" title={error} />}
        {drawn.error !== undefined && twin === undefined && (
          <Alert type="error" title={failed('Failed to draw a twin', drawn.error)} />
        )}
        {twin !== undefined && (
          <Profile twin={twin}>
            {(run === null || over) && (
              <Button
                size="small"
                disabled={busy}
                onClick={() => {
                  drop();
                  void drawn.mutate();
                }}
              >
                Another
              </Button>
            )}
          </Profile>
        )}
        {run === null && (
          <p className="muted">
            {`One answer to each of ${count(questions.length)} questions costs ${count(questions.length)} credits`}
            {available === undefined ? '. ' : `; you have ${count(available)}. `}A copy of the survey is asked
            and deleted afterwards, so this one stays open to change.
          </p>
        )}
        {run !== null && row === undefined && !(over && answers.error !== undefined) && (
          <Loading
            text={`Asked: ${progress.data?.successfulRequests ?? 0} of ${questions.length} answered`}
          />
        )}
        {over && answers.error !== undefined && (
          <Alert type="error" title={failed('Failed to load the answers', answers.error)} />
        )}
        {over && progress.data?.errorMessage != null && (
          <Alert type="warning" role="status" title={progress.data.errorMessage} />
        )}
        {row !== undefined && <Answers questions={questions} row={row} />}
      </div>
    </Dialog>
  );
}

function Profile({ twin, children }: { twin: Persona; children: React.ReactNode }) {
  return (
    <section className="one-twin-profile" aria-label="Profile">
      <div className="one-twin-head">
        <strong>{twin.name}</strong>
        {children}
      </div>
      <dl>
        {Object.entries(twin.attributes).map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
    </section>
  );
}

function Answers({ questions, row }: { questions: Question[]; row: MatrixRow }) {
  return (
    <ol className="one-twin-answers">
      {row.answers.map(({ answer, answerValue, status }, index) => (
        <li key={index}>
          <p>
            <Piped text={questions[index]?.text ?? ''} />
          </p>
          {answer == null && <p className="muted">No answer ({status})</p>}
          {answer != null && isRows(answerValue) && (
            <dl>
              {rowsInOrder(answerValue, textsOf(questions[index])).map(([sub, value]) => (
                <div key={sub}>
                  <dt>{sub}</dt>
                  <dd>{String(value)}</dd>
                </div>
              ))}
            </dl>
          )}
          {answer != null && !isRows(answerValue) && <strong>{answer.replaceAll(' | ', ' · ')}</strong>}
        </li>
      ))}
    </ol>
  );
}

const isRows = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const textsOf = (question: Question | undefined) => [
  ...(question?.subQuestions ?? []),
  ...(question?.options.map(({ text }) => text) ?? []),
];

/** Ends a run that is under way and deletes the copy. Nobody waits for it; a copy that stays says in its title what it is. */
async function forget({
  surveyId,
  simulationId,
}: {
  surveyId: number;
  simulationId?: string;
}): Promise<void> {
  const remove = () => api.delete('/api/surveys/{surveyId}', { params: { path: { surveyId } } });
  try {
    await remove();
  } catch (failure) {
    // It has an active run.
    if (!(failure instanceof ApiError) || failure.status !== 409 || simulationId === undefined) return;
    const path = { simulationId };
    await api.post('/api/simulations/{simulationId}/stop', { params: { path } }).catch(() => undefined);
    await remove().catch(() => undefined);
  } finally {
    void refresh('/api/surveys/my');
  }
}
