import { Button, Form, Select } from 'antd';
import type { Condition, QuestionLogic } from '@/api/design';
import { ConditionEditor, firstOf } from './ConditionEditor';
import type { Names } from './names';

/** Options, labels and rows that are shown only to some twins; the others are shown to all. */
export function OptionConditions({
  texts,
  value = {},
  names,
  onChange,
}: {
  texts: readonly string[];
  value: QuestionLogic['optionIf'];
  names: Names;
  onChange: (conditions: QuestionLogic['optionIf']) => void;
}) {
  // One whose text was changed is shown until it is removed: the check names it as well.
  const listed = [...new Set([...texts, ...Object.keys(value)])].filter((text) => text in value);
  const free = texts.filter((text) => !(text in value));
  const put = (text: string, condition: Condition) => onChange({ ...value, [text]: condition });
  const remove = (text: string) => {
    const left = Object.fromEntries(Object.entries(value).filter(([other]) => other !== text));
    onChange(Object.keys(left).length === 0 ? undefined : left);
  };
  return (
    <>
      {listed.map((text) => (
        <div key={text} role="group" aria-label={`${text}: shown only if`}>
          <p className="flow-row row">
            <span>
              <strong>{text}</strong> is shown only if
            </span>
            <Button size="small" aria-label={`Show ${text} always`} onClick={() => remove(text)}>
              Show always
            </Button>
          </p>
          <ConditionEditor
            label={`${text} only if`}
            value={value[text] as Condition}
            names={names}
            onChange={(condition) => put(text, condition)}
          />
        </div>
      ))}
      {free.length > 0 && (
        <Form.Item label="Show an option only if" htmlFor="logic-option-if">
          <Select<string>
            id="logic-option-if"
            placeholder="Choose an option or a row"
            value={null as never}
            options={free.map((text) => ({ value: text, label: text }))}
            onChange={(text) => put(text, firstOf(names))}
          />
        </Form.Item>
      )}
    </>
  );
}
