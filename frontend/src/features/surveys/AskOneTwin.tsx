import { useEffect, useRef, useState } from 'react';
import { Alert, Button } from 'antd';
import { api, failed } from '@/api/client';
import { useGet } from '@/api/hooks';
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

/** One twin's answers, with its profile, before many are paid for. The survey stays open to changes. */
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

  // Nobody reads the rest of the answers once the dialog is closed.
  const asked = useRef<string | null>(null);
  const isClosed = useRef(false);
  useEffect(() => {
    asked.current = over ? null : (run?.simulationId ?? null);
  }, [run, over]);
  useEffect(() => {
    isClosed.current = false;
    return () => {
      isClosed.current = true;
      if (asked.current !== null) void stop(asked.current);
    };
  }, []);

  const ask = async (who: Persona) => {
    setBusy(true);
    setError(null);
    try {
      const made = await api.post('/api/surveys/{surveyId}/ask', {
        params: { path: { surveyId: survey.id } },
        body: { personaId: who.id },
      });
      mute(made.simulationId);
      if (isClosed.current) void stop(made.simulationId);
      setRun({ surveyId: made.surveyId, simulationId: made.simulationId });
    } catch (failure) {
      setError(failed('Failed to ask a twin', failure));
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
      <div className="one-twin stack gap-4 long-word">
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
                  setRun(null);
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
            {available === undefined ? '. ' : `; you have ${count(available)}. `}The survey stays open to
            change.
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
    <section className="inset" aria-label="Profile">
      <div className="one-twin-head line gap-3 between">
        <strong>{twin.name}</strong>
        {children}
      </div>
      <dl className="facts">
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
    <ol className="one-twin-answers numbered gap-4">
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

/** Stops a run. Nobody waits for it: a run that has ended meanwhile is refused. */
async function stop(simulationId: string): Promise<void> {
  await api
    .post('/api/simulations/{simulationId}/stop', { params: { path: { simulationId } } })
    .catch(() => undefined);
}
