import type { ReactNode } from 'react';
import { Alert } from 'antd';
import type { Leak, Verdict } from '@/api/validation';
import { CheckIcon, CrossIcon, MinusIcon } from '@/ui/icons';

const states: Record<Verdict['state'], { className: string; spoken: string; icon: ReactNode }> = {
  shown: { className: 'trust-good', spoken: 'Shown: ', icon: <CheckIcon /> },
  not_shown: { className: 'trust-bad', spoken: 'Not shown: ', icon: <CrossIcon /> },
  too_few_twins: { className: 'trust-unknown', spoken: 'Cannot tell: ', icon: <MinusIcon /> },
};

/** The verdicts on the answers of these twins: shown, not shown, or too few twins to tell. */
export function Verdicts({ of }: { of: readonly Verdict[] }) {
  return (
    <ul className="trust-verdicts stack list" aria-label="Verdicts">
      {of.map(({ state, title, text }) => (
        <li key={title} className={states[state].className}>
          <span className="trust-mark">{states[state].icon}</span>
          <div>
            <span className="visually-hidden">{states[state].spoken}</span>
            <strong>{title}</strong>
            <p>{text}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** A warning on profiles that may hold the answers that they are asked for. */
export function Leaks({ of }: { of: readonly Leak[] }) {
  return (
    <Alert
      type="error"
      showIcon
      title="The profiles may hold the answers: no verdict"
      description={
        <ul className="alert-items stack gap-1 long-word">
          {of.map(({ step, text }) => (
            <li key={`${step} ${text}`}>
              <strong>{step}</strong>: {text}
            </li>
          ))}
        </ul>
      }
    />
  );
}
