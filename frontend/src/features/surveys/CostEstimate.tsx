import { Alert } from 'antd';
import type { SimulationConfig } from '@/api/types';
import { count, duration } from '@/ui/format';

interface Choice {
  model?: string | undefined;
  /** Full personas. */
  full?: boolean;
  /** One question a call. */
  single?: boolean;
}

/** What a simulation with so many personas will take, beside what there is. */
export function CostEstimate({
  personas,
  config,
  chosen = {},
}: {
  personas: number;
  config: SimulationConfig;
  /** What differs from the usual. */
  chosen?: Choice;
}) {
  const { model = config.model, full = false, single = false } = chosen;
  const { credits, calls, tokens, time } = estimate(
    single ? { ...config, questionsPerCall: 1 } : config,
    personas,
  );
  const short = credits > config.availableCredits;
  return (
    <>
      <dl className="estimate">
        <dt>Credits needed</dt>
        <dd>{count(credits)}</dd>
        <dt>Credits available</dt>
        <dd className={short ? 'estimate-short' : undefined}>{count(config.availableCredits)}</dd>
        <dt>Calls to the model, about</dt>
        <dd>{count(calls)}</dd>
        <dt>{full || single ? 'Tokens, more than' : 'Tokens, about'}</dt>
        <dd>{count(tokens)}</dd>
        <dt>Time, about</dt>
        <dd>{time}</dd>
        <dt>Model</dt>
        <dd>{model}</dd>
      </dl>
      {short && (
        <Alert
          type="warning"
          role="status"
          title="This run needs more credits than you have in this group."
        />
      )}
      {config.demoModel && (
        <Alert type="info" role="status" title="Demo model: the answers are not from a language model." />
      )}
    </>
  );
}

/** Unknown counts are taken as 1. */
function estimate(config: SimulationConfig, personas: number) {
  const questions = Math.max(1, config.questionCount);
  const calls = personas * Math.ceil(questions / Math.max(1, config.questionsPerCall));
  return {
    credits: personas * questions,
    calls,
    tokens: personas * config.tokensPerPersona,
    time: timeOf(calls, config),
  };
}

/** Without a limit of calls per minute, only the demo model is known to be quick. */
function timeOf(calls: number, { requestsPerMinute, demoModel }: SimulationConfig): string {
  if (requestsPerMinute) return duration((calls / requestsPerMinute) * 60);
  return demoModel ? 'under a minute' : 'up to the model server';
}
