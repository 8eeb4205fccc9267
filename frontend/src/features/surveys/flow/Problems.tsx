import { Alert, Button, Tag } from 'antd';
import { failed } from '@/api/client';
import type { DesignReport, Finding } from '@/api/design';
import { Panel } from '@/ui/Page';
import { useFlow } from './context';
import { byNode, questionOf } from './findings';

/** The findings about the design, the highest cost of a twin, and the questions of each arm. */
export function Problems({ report, error }: { report: DesignReport | undefined; error: unknown }) {
  if (error !== undefined && report === undefined)
    return <Alert type="error" title={failed('Failed to check the flow', error)} />;
  if (report === undefined) return null;
  const { findings, requestsPerTwin, arms } = report;
  const errors = findings.filter(({ severity }) => severity === 'error').length;
  const warnings = findings.length - errors;
  return (
    <Panel
      title="Check"
      extra={
        <span role="status">
          {errors > 0 && <Tag color="error">{errors === 1 ? '1 error' : `${errors} errors`}</Tag>}
          {warnings > 0 && <Tag color="warning">{warnings === 1 ? '1 warning' : `${warnings} warnings`}</Tag>}
          {findings.length === 0 && <span className="muted">Nothing is wrong</span>}
        </span>
      }
    >
      {findings.length > 0 && (
        <ul className="flow-problems">
          {findings.map((finding) => (
            <Problem key={finding.code + finding.pointer} finding={finding} />
          ))}
        </ul>
      )}
      {errors === 0 && (
        <p>
          At most <strong>{requestsPerTwin === 1 ? '1 request' : `${requestsPerTwin} requests`}</strong> per
          twin.
        </p>
      )}
      {arms.length > 0 && (
        <details className="flow-reach">
          <summary>What each arm is asked</summary>
          <dl>
            {arms.map(({ random, arm, questions }) => (
              <div key={`${random} ${arm}`}>
                <dt>
                  {random}: {arm}
                </dt>
                <dd>{questions.length === 0 ? 'nothing' : questions.join(', ')}</dd>
              </div>
            ))}
          </dl>
        </details>
      )}
    </Panel>
  );
}

function Problem({ finding }: { finding: Finding }) {
  const { design, questions, focus, openQuestion } = useFlow();
  const [at] = [...byNode(design, [finding]).keys()];
  const place = questionOf(finding);
  const question = place === null ? undefined : questions[place];
  const go =
    at !== undefined ? () => focus(at) : question !== undefined ? () => openQuestion(question.name) : null;
  return (
    <li className={finding.severity === 'error' ? 'flow-error' : 'flow-warning'}>
      <span>
        <span className="flow-severity">{finding.severity === 'error' ? 'Error' : 'Warning'}</span>{' '}
        {question !== undefined && <code>{question.name}</code>} {finding.message}
      </span>
      {go !== null && (
        <Button type="link" size="small" aria-label={`Go there: ${finding.message}`} onClick={go}>
          Go there
        </Button>
      )}
    </li>
  );
}
