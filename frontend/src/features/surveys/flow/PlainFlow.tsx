import { Button } from 'antd';
import { Panel } from '@/ui/Page';
import { withRandomOrder, withScreening } from './arms';
import { useFlow } from './context';

/** A survey without a flow, and the ways to one. */
export function PlainFlow({ onArms }: { onArms: () => void }) {
  const { design, questions, readOnly, change, focus } = useFlow();
  const none = questions.length === 0 ? 'Add a question first' : undefined;
  return (
    <Panel>
      <p className="flow-plain">
        {questions.length === 0
          ? 'This survey asks nothing yet.'
          : 'Every twin is asked all questions, in their order.'}
      </p>
      {!readOnly && (
        <ul className="flow-ways">
          <li>
            <Button type="primary" disabled={none !== undefined} title={none} onClick={onArms}>
              Arms
            </Button>
            <span className="muted">Some twins read or are asked something else than others.</span>
          </li>
          <li>
            <Button
              disabled={none !== undefined}
              title={none}
              onClick={() => {
                change(withScreening(design, questions));
                focus('/flow/1');
              }}
            >
              Screening
            </Button>
            <span className="muted">Twins that answer a question differently get no further questions.</span>
          </li>
          <li>
            <Button
              disabled={none !== undefined}
              title={none}
              onClick={() => {
                change(withRandomOrder(design, questions));
                focus('/flow/0');
              }}
            >
              Random order
            </Button>
            <span className="muted">Each twin is asked the questions in an order of its own.</span>
          </li>
        </ul>
      )}
    </Panel>
  );
}
