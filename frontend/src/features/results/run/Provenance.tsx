import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { optionsOf } from '@/runs/modelOptions';
import { priceAge } from '@/runs/priceAge';
import type { Facts } from '@/runs/useFacts';
import { count, dateAndTime, moneyWords } from '@/ui/format';
import { Help, type Term } from '@/ui/Help';
import { percent } from '@/ui/numbers';

const keyWords = { instance: 'the key of the instance', group: 'the key of the group' } as const;

/** How the answers of a run came about, fact by fact. */
export function Provenance({ run, facts }: { run: Simulation; facts: Facts }) {
  const { cell } = run.parameters;
  const age = priceAge(run.parameters.price?.asOf, run.created_at);
  const arms = Object.entries(cell?.arms ?? {});
  return (
    <dl className="run-details facts stack">
      <Fact name="Simulation">
        <code>{run.simulationId}</code>
      </Fact>
      <Fact name="Model">{facts.demoModel ? 'Demo model: not from a language model' : facts.model}</Fact>
      {run.parameters.modelServer != null && <Fact name="Model server">{run.parameters.modelServer}</Fact>}
      {!facts.demoModel && <Fact name="Asked with">{keyWords[run.parameters.keyOwner ?? 'instance']}</Fact>}
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
      {optionsOf(run.parameters).map(([name, value]) => (
        <Fact key={name} name={name}>
          {value}
        </Fact>
      ))}
      {run.parameters.lenient === true && <Fact name="Unsupported parameters">left out</Fact>}
      <Fact name="Seed" help="seed">
        {facts.seed}
      </Fact>
      <Fact name="Profile text" help="personaText">
        {facts.personaVariant}
      </Fact>
      <Fact name="Questions per call" help="questionsPerCall">
        {facts.questionsPerCall}
      </Fact>
      {run.parameters.batch === true && (
        <Fact name="Calls" help="batch">
          in batches
        </Fact>
      )}
      {run.parameters.keepReplies === true && <Fact name="Raw replies">kept, in the bundle</Fact>}
      {run.parameters.maxTextLength != null && (
        <Fact name="Answers in free words">at most {count(run.parameters.maxTextLength)} characters</Fact>
      )}
      <Fact name="Order of options">
        {cell?.optionOrder === 'reversed'
          ? 'reversed'
          : facts.shuffleOptions
            ? 'shuffled for every twin'
            : 'as written'}
      </Fact>
      {run.studyId != null && (
        <Fact name="Study">
          <Link to={paths.study(run.studyId)}>The runs that were started with it</Link>, repeat{' '}
          {(cell?.repeat ?? 0) + 1}
          {arms.length > 0 && `, all twins in ${arms.map(([node, arm]) => `${node}: ${arm}`).join(', ')}`}
        </Fact>
      )}
      {run.parameters.reproduces != null && (
        <Fact name="Asks once more">
          what simulation <code>{run.parameters.reproduces}</code> asked
        </Fact>
      )}
      {facts.notSent.length > 0 && <Fact name="Not sent">{inactive(run, facts.notSent)}</Fact>}
      {facts.withoutEffect.length > 0 && (
        <Fact name="Sent, without effect">{inactive(run, facts.withoutEffect)}</Fact>
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
        {count(facts.promptTokens)} in prompts, {count(facts.cachedTokens)} of them cached
        {facts.cachedTokens > 0 && ` (${percent(facts.cachedTokens / facts.promptTokens)})`}
        {facts.cacheWriteTokens > 0 && `, ${count(facts.cacheWriteTokens)} written to the cache`};{' '}
        {count(facts.completionTokens)} in answers
        {facts.reasoningTokens > 0 && `, ${count(facts.reasoningTokens)} of them reasoning`}
      </Fact>
      {facts.cost != null && (
        <Fact name="Cost of the calls">
          {moneyWords([facts.cost])}
          {facts.maxCost != null && ` of at most ${moneyWords([facts.maxCost])}`}
          {age !== null && `, ${age} at the start`}
        </Fact>
      )}
      {facts.cacheSaving != null && Number(facts.cacheSaving.amount) !== 0 && (
        <Fact name="Saved by the cache">{moneyWords([facts.cacheSaving])}</Fact>
      )}
      <Fact name="Started">{run.startedAt ? dateAndTime(run.startedAt) : '–'}</Fact>
      <Fact name="Ended">{run.completedAt ? dateAndTime(run.completedAt) : '–'}</Fact>
      <Fact name="Notice">{facts.notice}</Fact>
    </dl>
  );
}

/** Parameters that replies do not follow, each with the way in which that is known. */
function inactive({ parameters }: Simulation, names: readonly string[]) {
  return names.map((name) => {
    const known = parameters.inactive?.find((one) => one.name === name);
    return (
      <div key={name}>
        {name}: {known?.reason ?? 'the model server refused it by name'}
      </div>
    );
  });
}

function Fact({ name, help, children }: { name: string; help?: Term; children: ReactNode }) {
  return (
    <div>
      <dt>
        {name}
        {help !== undefined && <Help term={help} />}
      </dt>
      <dd>{children}</dd>
    </div>
  );
}
