import { Tag } from 'antd';
import { logicOf } from '@/question-types/logic';
import { isAsked, typeName } from '@/question-types/questionTypes';
import { Piped } from '@/ui/Piped';
import { inWords } from './conditions';
import { useFlow } from './context';

/** A question in one line: its text, its name, and what of it chance and conditions decide. */
export function QuestionFacts({ name }: { name: string }) {
  const question = useFlow().byName.get(name);
  if (question === undefined)
    return (
      <span className="flow-fact row between">
        <span className="flow-error">There is no such question</span> <code>{name}</code>
      </span>
    );
  const logic = logicOf(question) ?? {};
  const { questionType: type } = question;
  return (
    <span className="flow-fact row between">
      <span className="flow-text">
        <Piped text={question.text} />
      </span>
      <span className="flow-marks row tiny">
        <span className="muted">{isAsked(type) ? typeName(type) : 'no answer, no credit'}</span>
        {logic.showIf !== undefined && <Tag>only if {inWords(logic.showIf)}</Tag>}
        {logic.check !== undefined && <Tag>attention check</Tag>}
        {logic.shuffle !== undefined && logic.shuffle !== 'none' && <Tag>options in random order</Tag>}
        <code>{name}</code>
      </span>
    </span>
  );
}
