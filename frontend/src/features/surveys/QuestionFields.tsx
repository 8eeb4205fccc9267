import { useLayoutEffect, useRef, type ClipboardEvent, type KeyboardEvent } from 'react';
import { Alert, Button, Form, Input, InputNumber } from 'antd';
import { endsAreCrossed, type Draft } from '@/question-types/draft';
import { questionTypes } from '@/question-types/questionTypes';
import { isChosen } from '@/question-types/scales';
import { isKey } from '@/ui/keys';

/** Not `120.0`, though it goes by tenths. */
const writeNumber = (value: number | string | undefined) => String(value ?? '');

interface FieldsProps {
  draft: Draft;
  /** The id of the element that says what is wrong, where something is. */
  problem: string | undefined;
  onChange: (part: Partial<Draft>) => void;
}

/** Props of a field that is wrong; the element with the id `reason` says why. */
export const invalid = (reason: string) =>
  ({ status: 'error', 'aria-invalid': true, 'aria-describedby': reason }) as const;

/** Scales that are used over and over, at a click. */
export function Presets({ draft, onChange }: Omit<FieldsProps, 'problem'>) {
  const { presets, hasTotal } = questionTypes[draft.type];
  if (presets.length === 0) return null;
  return (
    <div className="presets row gap-2 small" role="group" aria-label="Presets">
      <span className="muted">{hasTotal ? 'Total' : 'Scale'}</span>
      {presets.map(([name, part]) => (
        <button key={name} type="button" aria-pressed={isChosen(draft, part)} onClick={() => onChange(part)}>
          {name}
        </button>
      ))}
    </div>
  );
}

export function ChoiceFields({ draft, problem, onChange }: FieldsProps) {
  return (
    <ItemList
      title="Options"
      name="Option"
      items={draft.options}
      min={1}
      problem={problem}
      onChange={(options) => onChange({ options })}
    />
  );
}

/** The field for the total of a constant sum. */
export function TotalField({ draft, problem, onChange }: FieldsProps) {
  const wrong = draft.total != null && draft.total <= 0;
  return (
    <Form.Item label="Total" htmlFor="question-total" extra="What the numbers add up to. Empty: 100.">
      <InputNumber
        id="question-total"
        {...(wrong && problem !== undefined && invalid(problem))}
        formatter={writeNumber}
        placeholder="100"
        value={draft.total ?? null}
        onChange={(total) => onChange({ total })}
      />
    </Form.Item>
  );
}

export function MatrixFields({ draft, problem, onChange }: FieldsProps) {
  return (
    <div className="matrix-fields stack gap-4">
      <ItemList
        title="Sub-questions (optional)"
        name="Sub-question"
        items={draft.subQuestions}
        min={0}
        onChange={(subQuestions) => onChange({ subQuestions })}
      />
      <ItemList
        title="Scale labels"
        name="Label"
        items={draft.scaleLabels}
        min={2}
        problem={problem}
        onChange={(scaleLabels) => onChange({ scaleLabels })}
      />
    </div>
  );
}

const CROSSED = 'scale-crossed';

/** The two ends of a slider or range, and what they stand for. */
export function ScaleFields({ draft, problem, onChange }: FieldsProps) {
  const { min, max, minDescription, maxDescription } = draft;
  const crossed = endsAreCrossed(draft);
  const status = (field: number | string | null) => ({
    ...(crossed && typeof field === 'number' && invalid(CROSSED)),
    ...(problem !== undefined && (field === null || field === '') && invalid(problem)),
  });
  return (
    <>
      <div className="scale-fields">
        <Form.Item label="Minimum value" htmlFor="scale-min">
          <InputNumber
            id="scale-min"
            {...status(min)}
            step={0.1}
            formatter={writeNumber}
            value={min}
            onChange={(value) => onChange({ min: value })}
          />
        </Form.Item>
        <Form.Item label="Maximum value" htmlFor="scale-max">
          <InputNumber
            id="scale-max"
            {...status(max)}
            step={0.1}
            formatter={writeNumber}
            value={max}
            onChange={(value) => onChange({ max: value })}
          />
        </Form.Item>
        <Form.Item label="Minimum description" htmlFor="scale-min-text">
          <Input
            id="scale-min-text"
            {...status(minDescription)}
            value={minDescription}
            onChange={(event) => onChange({ minDescription: event.target.value })}
          />
        </Form.Item>
        <Form.Item label="Maximum description" htmlFor="scale-max-text">
          <Input
            id="scale-max-text"
            {...status(maxDescription)}
            value={maxDescription}
            onChange={(event) => onChange({ maxDescription: event.target.value })}
          />
        </Form.Item>
      </div>
      {crossed && (
        <Alert
          type="warning"
          role="status"
          id={CROSSED}
          title="Minimum value must be less than maximum value"
        />
      )}
    </>
  );
}

/** A numbered list of texts that grows and shrinks. */
function ItemList({
  title,
  name,
  items,
  min,
  problem,
  onChange,
}: {
  title: string;
  /** The name of an item: `Option`. */
  name: string;
  items: string[];
  /** Items can be removed while there are more than this many. */
  min: number;
  /** The id of the element that says what is wrong with empty items. */
  problem?: string | undefined;
  onChange: (items: string[]) => void;
}) {
  const list = useRef<HTMLFieldSetElement>(null);
  /** The item that has the focus once the list is drawn anew. */
  const next = useRef<number | null>(null);
  useLayoutEffect(() => {
    if (next.current !== null) list.current?.querySelectorAll('input')[next.current]?.focus();
    next.current = null;
  });
  const change = (changed: string[], focus: number) => {
    next.current = focus;
    onChange(changed);
  };
  const press = (event: KeyboardEvent, index: number) => {
    const item = items[index] ?? '';
    const way = isKey(event, 'moveItemUp') ? -1 : isKey(event, 'moveItemDown') ? 1 : 0;
    if (isKey(event, 'nextItem') && !event.nativeEvent.isComposing) {
      // Enter is for the next item: the form is sent by its button.
      event.preventDefault();
      const waiting = items[index + 1]?.trim() === '';
      if (item.trim() !== '') change(waiting ? [...items] : items.toSpliced(index + 1, 0, ''), index + 1);
    } else if (isKey(event, 'removeItem') && item === '' && items.length > min) {
      event.preventDefault();
      change(items.toSpliced(index, 1), Math.max(0, index - 1));
    } else if (way !== 0) {
      event.preventDefault();
      const to = index + way;
      if (to >= 0 && to < items.length) change(items.toSpliced(index, 1).toSpliced(to, 0, item), to);
    }
  };
  /** Pasted lines become items. */
  const paste = (event: ClipboardEvent, index: number) => {
    const lines = event.clipboardData
      .getData('text')
      .split(/\r?\n/)
      .map((line) => line.trim())
      .filter((line) => line !== '');
    if (lines.length < 2) return;
    event.preventDefault();
    const empty = items[index]?.trim() === '';
    const at = empty ? index : index + 1;
    // Empty items behind are filled before the list grows.
    let room = empty ? 1 : 0;
    while (room < lines.length && items[at + room]?.trim() === '') room += 1;
    change(items.toSpliced(at, room, ...lines), at + lines.length - 1);
  };
  return (
    <fieldset ref={list} className="stack gap-2">
      <legend>{title}</legend>
      {items.map((item, index) => (
        <div key={index} className="item line">
          <span aria-hidden="true">{index + 1}.</span>
          <Input
            aria-label={`${name} ${index + 1}`}
            placeholder={`${name} ${index + 1}`}
            value={item}
            {...(problem !== undefined && item.trim() === '' && invalid(problem))}
            onChange={(event) => onChange(items.with(index, event.target.value))}
            onKeyDown={(event) => press(event, index)}
            onPaste={(event) => paste(event, index)}
          />
          {items.length > min && (
            <Button
              size="small"
              type="text"
              // By keyboard: Backspace in the empty item. Tab goes from text to text.
              tabIndex={-1}
              aria-label={`Remove ${name.toLowerCase()} ${index + 1}`}
              onClick={() => onChange(items.toSpliced(index, 1))}
            >
              Remove
            </Button>
          )}
        </div>
      ))}
      <div>
        <Button
          size="small"
          color="primary"
          variant="filled"
          onClick={() => change([...items, ''], items.length)}
        >
          + Add {name}
        </Button>
      </div>
    </fieldset>
  );
}
