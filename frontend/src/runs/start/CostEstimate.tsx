import { Alert, Button } from 'antd';
import type { Simulation, SimulationConfig } from '@/api/types';
import { count } from '@/ui/format';
import { callsOf, expectedSeconds, expectedText } from './duration';
import { costText, expectedCost, pricesOf } from './price';

/** The parameters that differ from the defaults. */
interface Choice {
  model?: string | undefined;
  /** Full personas. */
  full?: boolean;
  questionsPerCall?: number | undefined;
  /** Asked in batches. */
  batch?: boolean;
}

/** The estimated credits, time and money of a simulation, beside what there is. */
export function CostEstimate({
  personas,
  config,
  chosen = {},
  lastRuns = [],
  onAfford,
}: {
  personas: number;
  config: SimulationConfig;
  chosen?: Choice;
  /** The caller's, newest first. */
  lastRuns?: readonly Simulation[];
  /** Asks as many twins as the credits pay for. */
  onAfford?: ((personas: number) => void) | undefined;
}) {
  const {
    model = config.model,
    full = false,
    questionsPerCall = config.questionsPerCall,
    batch = false,
  } = chosen;
  const asked = { ...config, questionsPerCall, model, ...(batch && { prices: pricesOf(config, batch) }) };
  const { credits, calls, tokens, time, cost } = estimate(asked, personas, lastRuns, config.model);
  const short = credits > config.availableCredits;
  const payable = Math.min(config.maxPersonas, personas);
  return (
    <>
      <dl className="estimate">
        <dt>Credits needed</dt>
        <dd>{count(credits)}</dd>
        <dt>Credits available</dt>
        <dd className={short ? 'estimate-short' : undefined}>{count(config.availableCredits)}</dd>
        {cost !== null && (
          <>
            <dt>{full ? 'Money, more than' : 'Money, about'}</dt>
            <dd>{cost}</dd>
          </>
        )}
        <dt>Calls to the model, about</dt>
        <dd>{count(calls)}</dd>
        <dt>{full ? 'Tokens, more than' : 'Tokens, about'}</dt>
        <dd>{count(tokens)}</dd>
        <dt>{batch ? 'Time' : 'Time, about'}</dt>
        <dd>{batch ? 'within a day' : time}</dd>
        <dt>Model</dt>
        <dd>{model}</dd>
      </dl>
      {short && (
        <Alert
          type="warning"
          role="status"
          title="This run needs more credits than you have in this group."
          description={
            payable > 0
              ? `They pay for ${count(payable)} digital ${payable === 1 ? 'twin' : 'twins'}.`
              : 'They do not pay for a single digital twin.'
          }
          action={
            payable > 0 &&
            onAfford !== undefined && (
              <Button size="small" onClick={() => onAfford(payable)}>
                Ask {count(payable)}
              </Button>
            )
          }
        />
      )}
      {config.demoModel && (
        <Alert type="info" role="status" title="Demo model: the answers are not from a language model." />
      )}
    </>
  );
}

/** Estimates a survey that has questions. `lastRuns` are the caller's, newest first. */
export function estimate(
  config: SimulationConfig,
  personas: number,
  lastRuns: readonly Simulation[] = [],
  measured = config.model,
) {
  const calls = callsOf(personas, config.questionCount, config.questionsPerCall);
  const tokens = calls * config.tokensPerProfile + personas * config.questionCount * config.tokensPerQuestion;
  // Calls of another model than the usual one were not measured.
  const limits = config.model === measured ? config : { ...config, callSeconds: null };
  const load = { personas, questions: config.questionCount, calls };
  const cost = expectedCost(config, config.model, load);
  return {
    credits: personas * config.questionCount,
    calls,
    tokens,
    time: expectedText(expectedSeconds({ calls, tokens }, limits, lastRuns, config.model), config),
    cost: cost === null ? null : costText(cost),
  };
}
