import { Button, Select } from 'antd';
import type { Comparison, Condition } from '@/api/design';
import { isAsked } from '@/question-types/questionTypes';
import { CrossIcon } from '@/ui/icons';
import { ComparisonFields } from './ComparisonFields';
import { conditionOf, groupOf, isGroup, joints, type Group } from './conditions';
import './flow.css';
import { answersOf, type Names } from './names';

interface Props {
  label: string;
  value: Condition;
  names: Names;
  /** Changes with the same key, soon after each other, are one step of undo. */
  onChange: (condition: Condition, key?: string) => void;
}

/** A condition as rows of three selects, joined by all, any or not. */
export function ConditionEditor({ label, value, names, onChange }: Props) {
  return (
    <GroupFields
      label={label}
      group={groupOf(value)}
      names={names}
      onChange={(group, key) => onChange(conditionOf(group), key)}
    />
  );
}

function GroupFields({
  label,
  group,
  names,
  onChange,
  onRemove,
}: {
  label: string;
  group: Group;
  names: Names;
  onChange: (group: Group, key?: string) => void;
  onRemove?: () => void;
}) {
  const { joint, members } = group;
  const write = (next: Group['members'], key?: string) => onChange({ joint, members: next }, key);
  const first = firstOf(names);
  return (
    <fieldset className="condition stack gap-2" aria-label={label}>
      {(members.length > 1 || joint !== 'all' || onRemove !== undefined) && (
        <div className="line">
          <Select
            size="small"
            aria-label={`${label}: how its parts are joined`}
            popupMatchSelectWidth={false}
            value={joint}
            options={[...joints]}
            onChange={(next) => onChange({ joint: next, members })}
          />
          {onRemove !== undefined && <Remove what={label} onRemove={onRemove} />}
        </div>
      )}
      {members.map((member, index) => {
        const name = `${label}, part ${index + 1}`;
        const change = (next: Group | Comparison, key?: string) =>
          write(members.with(index, next), key === undefined ? undefined : `${key} ${index}`);
        const remove = () => write(members.toSpliced(index, 1));
        if (isGroup(member))
          return (
            <GroupFields
              key={index}
              label={name}
              group={member}
              names={names}
              onChange={change}
              onRemove={remove}
            />
          );
        return (
          <div key={index} className="comparison" role="group" aria-label={name}>
            <ComparisonFields value={member} names={names} onChange={change} />
            <Remove what={name} onRemove={remove} />
          </div>
        );
      })}
      <div className="flow-row row">
        <Button size="small" type="text" onClick={() => write([...members, first])}>
          + Condition
        </Button>
        {members.length > 0 && (
          <Button
            size="small"
            type="text"
            onClick={() => write([...members, { joint: 'any', members: [first, first] }])}
          >
            + Group
          </Button>
        )}
        {members.length === 1 && joint === 'all' && (
          <Button size="small" type="text" onClick={() => onChange({ joint: 'none', members })}>
            Not
          </Button>
        )}
      </div>
    </fieldset>
  );
}

function Remove({ what, onRemove }: { what: string; onRemove: () => void }) {
  return (
    <Button
      type="text"
      size="small"
      shape="circle"
      icon={<CrossIcon />}
      aria-label={`Remove: ${what}`}
      onClick={onRemove}
    />
  );
}

/** The comparison that a new condition begins with. */
export function firstOf({ questions, fields }: Names): Comparison {
  const question = questions.find(({ questionType }) => isAsked(questionType));
  if (question !== undefined) {
    const value = answersOf(question, null)[0]?.value;
    return value === undefined ? { answered: question.name } : { answer: question.name, is: value };
  }
  const [field, [value = ''] = []] = [...fields][0] ?? [''];
  return { field, is: value };
}
