import type { PlanDocument } from '@/runs/plan/form';
import { sections } from '@/runs/plan/words';
import './plans.css';

/** The text of a plan, for reading. */
export function PlanText({ plan }: { plan: PlanDocument }) {
  return (
    <div className="plan-text">
      {sections(plan).map(({ heading, text, facts }) => (
        <section key={heading}>
          <h3>{heading}</h3>
          {text !== '' && <p>{text}</p>}
          {facts.length > 0 && (
            <ul>
              {facts.map((fact) => (
                <li key={fact}>{fact}</li>
              ))}
            </ul>
          )}
          {text === '' && facts.length === 0 && <p className="muted">Not stated.</p>}
        </section>
      ))}
    </div>
  );
}
