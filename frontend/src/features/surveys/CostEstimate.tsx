import type { SimulationConfig } from '@/api/types';
import { Banner } from '@/ui/Banner';
import { count, duration } from '@/ui/format';
import type { Estimate } from './estimate';

/** What the run will take, beside what there is. */
export function CostEstimate({ cost, config }: { cost: Estimate; config: SimulationConfig }) {
  const short = cost.credits > config.availableCredits;
  return (
    <>
      <dl className="estimate">
        <dt>Credits needed</dt>
        <dd>{count(cost.credits)}</dd>
        <dt>Credits available</dt>
        <dd className={short ? 'estimate-short' : undefined}>{count(config.availableCredits)}</dd>
        <dt>Calls to the model, about</dt>
        <dd>{count(cost.calls)}</dd>
        <dt>Tokens, about</dt>
        <dd>{count(cost.tokens)}</dd>
        <dt>Time, about</dt>
        <dd>{timeOf(cost, config)}</dd>
        <dt>Model</dt>
        <dd>{config.model}</dd>
      </dl>
      {short && <Banner type="warning">This run needs more credits than you have in this group.</Banner>}
      {config.demoModel && (
        <Banner type="info">Demo model: the answers are not from a language model.</Banner>
      )}
    </>
  );
}

/** Without a limit on its calls, only the demo model is known to be quick. */
function timeOf({ seconds }: Estimate, { demoModel }: SimulationConfig): string {
  if (seconds !== null) return duration(seconds);
  return demoModel ? 'under a minute' : 'up to the model server';
}
