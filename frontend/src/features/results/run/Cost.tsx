import { useState } from 'react';
import { Button } from 'antd';
import type { Simulation } from '@/api/types';
import { useControl } from '@/runs/useControl';
import { priceAge } from '@/runs/priceAge';
import { useCost } from '@/runs/useFacts';
import { moneyWords } from '@/ui/format';
import { CostCap } from './CostCap';
import { Figure } from './Figure';

/** The cost of the calls in money and its cap, where the price of the model was known at the start. */
export function Cost({ run }: { run: Simulation }) {
  const facts = useCost(run);
  const control = useControl(run);
  const [asked, setAsked] = useState(false);
  if (facts?.cost == null) return null;
  const { cost, maxCost = null } = facts;
  const age = priceAge(run.parameters.price?.asOf, run.created_at);
  return (
    <>
      <Figure name="Money" value={moneyWords([cost]) ?? '–'}>
        <span title={age ?? undefined}>
          {maxCost === null ? 'paid for calls, no cap' : `paid for calls, at most ${moneyWords([maxCost])}`}
        </span>
        {control && run.status !== 'COMPLETED' && (
          <>
            {' '}
            <Button
              type="link"
              size="small"
              className="run-figure-change"
              aria-label="Change what the simulation may cost"
              onClick={() => setAsked(true)}
            >
              Change
            </Button>
          </>
        )}
      </Figure>
      {asked && <CostCap run={run} cost={cost} maxCost={maxCost} onClose={() => setAsked(false)} />}
    </>
  );
}
