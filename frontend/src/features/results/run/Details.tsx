import { useState } from 'react';
import { Alert, App, Button } from 'antd';
import { api, getPage, messageOf, type Answer } from '@/api/client';
import type { Question, Simulation } from '@/api/types';
import { useControl } from '@/runs/useControl';
import { useFacts, type Facts } from '@/runs/useFacts';
import { CopyButton } from '@/ui/Copy';
import { Loading } from '@/ui/Page';
import { citationOf } from './methodText';
import { Provenance } from './Provenance';

/** The provenance of the answers, so that others can check or repeat them. */
export function Details({ run, questions }: { run: Simulation; questions: readonly Question[] }) {
  const { data: facts, error } = useFacts(run);
  const control = useControl(run);
  if (error !== undefined) return <Alert type="error" title="Failed to load the simulation's details" />;
  if (facts === undefined) return <Loading />;
  return (
    <>
      <Provenance run={run} facts={facts} />
      <CiteIt facts={facts} />
      {control && run.successfulRequests > 0 && <PromptExample run={run} questions={questions} />}
    </>
  );
}

function CiteIt({ facts }: { facts: Facts }) {
  const text = citationOf(facts);
  return (
    <>
      <h2 className="run-overview-title">Citation</h2>
      <p className="run-citation long-word">{text}</p>
      <CopyButton text={text} size="small" />
    </>
  );
}

/** The exact prompt of one answer: of the first twin's first question. */
function PromptExample({ run, questions }: { run: Simulation; questions: readonly Question[] }) {
  const { message } = App.useApp();
  const [prompt, setPrompt] = useState<Answer<'/api/simulations/{simulationId}/prompt', 'get'> | null>(null);
  const [busy, setBusy] = useState(false);
  const show = async () => {
    setBusy(true);
    try {
      const path = { surveyId: run.surveyId, simulationId: run.simulationId };
      const { rows } = await getPage(
        '/api/surveys/{surveyId}/simulation/{simulationId}/responses/formatted',
        {
          params: { path, query: { limit: 1 } },
        },
      );
      const { personaId, questionId } = rows[0] ?? { personaId: 0, questionId: questions[0]?.id ?? 0 };
      const query = { personaId, questionId };
      setPrompt(
        await api.get('/api/simulations/{simulationId}/prompt', {
          params: { path: { simulationId: run.simulationId }, query },
        }),
      );
    } catch (error) {
      void message.error(messageOf(error, 'Failed to load the prompt'));
    }
    setBusy(false);
  };
  return (
    <>
      <h2 className="run-overview-title">Prompt by example</h2>
      {prompt === null ? (
        <Button size="small" loading={busy} disabled={busy} onClick={() => void show()}>
          Show the prompt of the first answer
        </Button>
      ) : (
        <>
          <p className="muted">
            Twin {prompt.personaId}, SHA-256 <code>{prompt.promptHash}</code>
          </p>
          {prompt.messages.map(({ role, content }, place) => (
            <div key={place}>
              <h3>{role}</h3>
              <pre className="raw-text" tabIndex={0} aria-label={`Prompt, ${role}`}>
                {content}
              </pre>
            </div>
          ))}
        </>
      )}
    </>
  );
}
