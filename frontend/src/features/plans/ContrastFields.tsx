import { AutoComplete, Button, Form } from 'antd';
import { armsOf, type Design } from '@/api/design';
import { readOnce, useGet } from '@/api/hooks';
import type { Draft } from '@/runs/plan/form';

/** Fields of the groups that are compared: arms, texts, models or orders, or twins by an attribute. */
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
          {rows.length > 0 && <p className="plan-contrasts">Primary contrasts</p>}
          {rows.map(({ key, name }, place) => {
            const groupsOf = options(groups.get(contrasts?.[name]?.of ?? '') ?? []);
            return (
              <div key={key} className="plan-contrast stack gap-2">
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
