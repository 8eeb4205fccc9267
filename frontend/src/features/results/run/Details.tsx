import { useState, type ReactNode } from 'react';
import { Alert, App, Button } from 'antd';
import { api, getPage, messageOf, type Answer } from '@/api/client';
import type { Question, Simulation } from '@/api/types';
import { useControl } from '@/runs/useControl';
import { count, date, dateAndTime, moneyWords } from '@/ui/format';
import { Loading } from '@/ui/Page';
import { useFacts, type Facts } from './useFacts';

/** Where the answers come from, so that somebody else can check or repeat them. */
export function Details({ run, questions }: { run: Simulation; questions: readonly Question[] }) {
  const { data: facts, error } = useFacts(run);
  const control = useControl(run);
  if (error !== undefined) return <Alert type="error" title="Failed to load the simulation's details" />;
  if (facts === undefined) return <Loading />;
  return (
    <>
      <dl className="run-details">
        <Fact name="Simulation">
          <code>{run.simulationId}</code>
        </Fact>
        <Fact name="Model">{facts.demoModel ? 'Demo model: not from a language model' : facts.model}</Fact>
        {facts.servedBy.length > 0 && (
          <Fact name="Answered by">
            {facts.servedBy.map(({ model, fingerprint }) => (
              <div key={`${model} ${fingerprint ?? ''}`}>
                <code>{model}</code>
                {fingerprint != null && (
                  <>
                    , fingerprint <code>{fingerprint}</code>
                  </>
                )}
              </div>
            ))}
          </Fact>
        )}
        <Fact name="Temperature">{facts.temperature ?? 'the model server’s default'}</Fact>
        <Fact name="Seed">{facts.seed}</Fact>
        <Fact name="Persona text">{facts.personaVariant}</Fact>
        <Fact name="Questions per call">{facts.questionsPerCall}</Fact>
        <Fact name="Order of options">{facts.shuffleOptions ? 'shuffled for every twin' : 'as written'}</Fact>
        {facts.notSent.length > 0 && (
          <Fact name="Refused by the model server">{facts.notSent.join(', ')}</Fact>
        )}
        <Fact name="Digital twins">
          {count(run.personaCount)} from {facts.personasSource}
          {facts.synthetic && ' (invented profiles)'}
        </Fact>
        <Fact name="Survey as asked, SHA-256">
          <code>{facts.surveyHash}</code>
        </Fact>
        <Fact name="Program">Digital Twin Lab {facts.programVersion}</Fact>
        <Fact name="Calls">{count(facts.calls)}</Fact>
        <Fact name="Tokens">
          {count(facts.promptTokens)} in prompts, {count(facts.cachedTokens)} of them cached;{' '}
          {count(facts.completionTokens)} in answers
        </Fact>
        {facts.cost != null && (
          <Fact name="Cost of the calls">
            {moneyWords([facts.cost])}
            {facts.maxCost != null && ` of at most ${moneyWords([facts.maxCost])}`}
          </Fact>
        )}
        <Fact name="Started">{run.startedAt ? dateAndTime(run.startedAt) : '–'}</Fact>
        <Fact name="Ended">{run.completedAt ? dateAndTime(run.completedAt) : '–'}</Fact>
        <Fact name="Notice">{facts.notice}</Fact>
      </dl>
      <CiteIt facts={facts} />
      {control && run.successfulRequests > 0 && <PromptExample run={run} questions={questions} />}
    </>
  );
}

function Fact({ name, children }: { name: string; children: ReactNode }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** A sentence for a methods section. */
function citationOf(facts: Facts): string {
  const who = facts.demoModel ? 'the built-in demo model' : facts.model;
  return [
    `“${facts.surveyTitle}”, simulation ${facts.simulationId}, ${date(facts.created_at)}.`,
    `${count(facts.personaCount)} digital twins (${facts.personasSource}), ${count(facts.totalQuestions)} questions,`,
    `answered by ${who}, seed ${facts.seed}, persona text “${facts.personaVariant}”,`,
    `survey SHA-256 ${facts.surveyHash.slice(0, 12)}, Digital Twin Lab ${facts.programVersion}.`,
    `${facts.notice.charAt(0).toUpperCase()}${facts.notice.slice(1)}.`,
  ].join(' ');
}

function CiteIt({ facts }: { facts: Facts }) {
  const { message } = App.useApp();
  const text = citationOf(facts);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    void message.success('Copied');
  };
  return (
    <>
      <h2 className="run-overview-title">Citation</h2>
      <p className="run-citation">{text}</p>
      <Button size="small" onClick={() => void copy()}>
        Copy
      </Button>
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
              <pre className="run-prompt" tabIndex={0} aria-label={`Prompt, ${role}`}>
                {content}
              </pre>
            </div>
          ))}
        </>
      )}
    </>
  );
}
