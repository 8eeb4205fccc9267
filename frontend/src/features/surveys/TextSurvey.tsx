import { useDeferredValue, useMemo, useRef } from 'react';
import { Alert, Form, Input } from 'antd';
import type { TextAreaRef } from 'antd/es/input/TextArea';
import { AskedQuestion } from '@/question-types/AskedQuestion';
import { draftOfPayload } from '@/question-types/draft';
import { surveyOf, type TextSurvey } from './plainText';
import './TextSurvey.css';

const EXAMPLE = `How do you usually get to work?
- By car
- By bus or train
- On foot

Which of these do you own? (optional)
[ ] A bicycle
[ ] A car

How well did you sleep?
0..10 (badly to well)

What would you change?
___`;

/** Previewed as they are typed; a long survey is as clear after this many. */
const PREVIEWED = 30;

/** Parses a text for the button that takes it, when the typing allows. */
export function useTextSurvey(text: string): TextSurvey {
  const settled = useDeferredValue(text);
  return useMemo(() => surveyOf(settled), [settled]);
}

/** A whole survey as plain text: the text, what is wrong with it line by line, and what a person would see of it. */
export function TextSurveyFields({
  text,
  survey,
  onChange,
}: {
  text: string;
  survey: TextSurvey;
  onChange: (text: string) => void;
}) {
  const field = useRef<TextAreaRef>(null);
  const go = (line: number) => {
    const area = field.current?.resizableTextArea?.textArea;
    if (area === undefined) return;
    const lines = text.split('\n');
    const start = lines.slice(0, line - 1).reduce((sum, { length }) => sum + length + 1, 0);
    area.focus();
    area.setSelectionRange(start, start + (lines[line - 1]?.length ?? 0));
  };
  const { questions, errors } = survey;
  return (
    <div className="text-survey stack gap-4">
      <div>
        <Form.Item
          label="Questions as text"
          htmlFor="survey-text"
          extra="A blank line ends a question. Options begin with - or, where several may be chosen, with [ ]. A range is 1-7 or 0..100 (low to high), an open answer ___, a matrix its labels between | and its rows as options, with [ ] where several labels may be chosen. (ranking), (best-worst) or (sum 100) after the text says what its options are for. A text without an answer begins with >."
        >
          <Input.TextArea
            ref={field}
            id="survey-text"
            rows={14}
            value={text}
            placeholder={EXAMPLE}
            onChange={(event) => onChange(event.target.value)}
          />
        </Form.Item>
        {errors.length > 0 && (
          <Alert
            type="error"
            title={
              errors.length === 1 ? 'One line is not understood' : `${errors.length} lines are not understood`
            }
            description={
              <ul className="text-survey-errors list">
                {errors.map(({ line, message }) => (
                  <li key={`${line} ${message}`}>
                    <button type="button" className="text-button" onClick={() => go(line)}>
                      Line {line}
                    </button>
                    : {message}
                  </li>
                ))}
              </ul>
            }
          />
        )}
      </div>
      <div className="text-survey-preview inset" tabIndex={0} role="region" aria-label="Preview of the text">
        {questions.length === 0 && <p className="muted">What the text says is shown here as you write.</p>}
        <ol className="numbered">
          {questions.slice(0, PREVIEWED).map((question, index) => (
            <li key={index}>
              <AskedQuestion draft={draftOfPayload(question)} />
            </li>
          ))}
        </ol>
        {questions.length > PREVIEWED && <p className="muted">and {questions.length - PREVIEWED} more</p>}
      </div>
    </div>
  );
}
