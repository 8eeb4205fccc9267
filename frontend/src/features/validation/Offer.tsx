import { Alert } from 'antd';
import type { ValidationOffer } from '@/api/validation';
import { count } from '@/ui/format';

/** The twins and questions of a validation, before it is started. */
export function Offer({ of }: { of: ValidationOffer }) {
  const { source, synthetic, people, questions, quickQuestions, tasks, refusal } = of;
  return (
    <div className="validation-offer">
      {refusal != null && (
        <Alert
          type="warning"
          role="status"
          showIcon
          title="These twins cannot be validated"
          description={refusal}
        />
      )}
      <dl className="validation-facts facts row">
        <div>
          <dt>Twins</dt>
          <dd>
            {source}
            {synthetic && ' (invented profiles)'}
          </dd>
        </div>
        <div>
          <dt>People with answers</dt>
          <dd>{count(people)}</dd>
        </div>
        <div>
          <dt>Questions</dt>
          <dd>
            {count(questions)}
            {quickQuestions < questions && `, quick ${count(quickQuestions)}`}
          </dd>
        </div>
      </dl>
      {tasks.length > 0 && (
        <section aria-labelledby="validation-tasks">
          <h3 id="validation-tasks">
            {count(tasks.length)} {tasks.length === 1 ? 'task' : 'tasks'}
          </h3>
          <ul className="validation-tasks list small">
            {tasks.map(({ key, title, items }) => (
              <li key={key}>
                <span>{title}</span>
                <span className="muted">
                  {count(items)} {items === 1 ? 'item' : 'items'}
                </span>
              </li>
            ))}
          </ul>
        </section>
      )}
    </div>
  );
}
