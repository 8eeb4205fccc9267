import { AutoComplete, Button, Form } from 'antd';
import type { Design, FlowNode } from '@/api/design';
import { useGet } from '@/api/hooks';
import type { Draft } from './form';

const readOnce = { revalidateOnFocus: false, shouldRetryOnError: false };

/** Which groups are set beside each other: arms, texts, models or orders, or twins by an attribute. */
export function ContrastFields({ surveyId, models }: { surveyId: number; models: readonly string[] }) {
  const { data } = useGet('/api/surveys/{surveyId}/design', { params: { path: { surveyId } } }, readOnce);
  const groups = new Map<string, readonly string[]>([
    ...armsOf((data as Design | undefined)?.flow ?? []),
    ['variant', ['summary', 'full', 'wave1_3', 'demographics', 'empty']],
    ['model', models],
    ['order', ['as_written', 'reversed']],
  ]);
  const contrasts = Form.useWatch('contrasts') as Draft['contrasts'] | undefined;
  return (
    <Form.List name="contrasts">
      {(rows, { add, remove }) => (
        <div role="group" aria-label="Primary contrasts">
          {rows.length > 0 && <p>Primary contrasts</p>}
          {rows.map(({ key, name }, place) => {
            const groupsOf = options(groups.get(contrasts?.[name]?.of ?? '') ?? []);
            return (
              <div key={key} className="plan-contrast">
                <Form.Item name={[name, 'of']} noStyle>
                  <AutoComplete
                    aria-label={`Contrast ${place + 1} of`}
                    placeholder="Arms, variant, model …"
                    options={options([...groups.keys()])}
                  />
                </Form.Item>
                <Form.Item name={[name, 'a']} noStyle>
                  <AutoComplete
                    aria-label={`Contrast ${place + 1}, first`}
                    placeholder="First"
                    options={groupsOf}
                  />
                </Form.Item>
                <Form.Item name={[name, 'b']} noStyle>
                  <AutoComplete
                    aria-label={`Contrast ${place + 1}, second`}
                    placeholder="Second"
                    options={groupsOf}
                  />
                </Form.Item>
                <Button onClick={() => remove(name)} aria-label={`Remove contrast ${place + 1}`}>
                  Remove
                </Button>
              </div>
            );
          })}
          <Button onClick={() => add({})}>Add a primary contrast</Button>
        </div>
      )}
    </Form.List>
  );
}

const options = (values: readonly string[]) => values.map((value) => ({ value }));

/** The arms of each random node of a flow that deals one. */
export function armsOf(flow: readonly FlowNode[]): [string, string[]][] {
  return flow.flatMap((node): [string, string[]][] => {
    if (Array.isArray(node)) return armsOf(node);
    if ('random' in node) {
      const own: [string, string[]][] = node.take === 1 ? [[node.random, node.of.map(({ arm }) => arm)]] : [];
      return [...own, ...node.of.flatMap((arm) => armsOf(arm.flow))];
    }
    if ('if' in node) return [...armsOf(node.then), ...armsOf(node.else ?? [])];
    return 'loop' in node ? armsOf(node.flow) : [];
  });
}
