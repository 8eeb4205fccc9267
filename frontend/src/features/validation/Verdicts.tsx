import { Alert } from 'antd';
import type { Leak, Verdict } from '@/api/validation';
import { CheckIcon, CrossIcon } from '@/ui/icons';

/** What may be done with the answers of these twins, and what not. */
export function Verdicts({ of }: { of: readonly Verdict[] }) {
  return (
    <ul className="trust-verdicts" aria-label="Verdicts">
      {of.map(({ good, title, text }) => (
        <li key={title} className={good ? 'trust-good' : 'trust-bad'}>
          <span className="trust-mark">{good ? <CheckIcon /> : <CrossIcon />}</span>
          <div>
            <span className="visually-hidden">{good ? 'Good: ' : 'Warning: '}</span>
            <strong>{title}</strong>
            <p>{text}</p>
          </div>
        </li>
      ))}
    </ul>
  );
}

/** Where profiles may hold the answers that they are asked for. */
export function Leaks({ of }: { of: readonly Leak[] }) {
  return (
    <Alert
      type="error"
      showIcon
      title="The profiles may hold the answers: no verdict"
      description={
        <ul className="trust-leaks">
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
