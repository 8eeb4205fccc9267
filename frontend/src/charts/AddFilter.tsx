import { Select } from 'antd';
import type { QuestionSummary } from '@/api/types';
import { plainText } from '@/ui/piped';
import { clauseName } from './filter';
import { variablesOf, type Summary, type Variable } from './split';

/** Width of the list, in pixels: with one, antd draws only the options that are seen. */
const POPUP = 340;

/** Adds a clause to the filter, from all values of attributes and answers that are not in it. */
export function AddFilter({
  summary,
  where,
  onAdd,
  onOpen,
  label,
}: {
  /** The summary that has the values; unknown until it is loaded. */
  summary: Summary | undefined;
  where: readonly string[];
  onAdd: (clause: string) => void;
  /** The list is opened. */
  onOpen?: () => void;
  /** The accessible name, where no label stands beside it. */
  label?: string;
}) {
  return (
    <Select<string | null>
      id="add-filter"
      aria-label={label}
      style={{ width: '9rem' }}
      showSearch={{ optionFilterProp: 'label' }}
      value={null}
      placeholder="Add filter"
      popupMatchSelectWidth={POPUP}
      notFoundContent={summary === undefined ? 'Loading…' : undefined}
      options={summary === undefined ? [] : clauses(summary, where)}
      onOpenChange={(open) => {
        if (open) onOpen?.();
      }}
      onChange={(clause) => {
        if (clause !== null) onAdd(clause);
      }}
    />
  );
}

/** Every value that is not chosen yet, by attribute and by question. */
function clauses({ attributeValues, questions }: Summary, chosen: readonly string[]) {
  const free = ({ value }: { value: string }) => !chosen.includes(value);
  const section = (label: string, options: { value: string; label: string }[]) => ({
    label,
    options: options.filter(free),
  });
  return [
    ...attributeValues.map(({ name, values }) =>
      section(
        name,
        values.map(({ value }) => ({ value: `${name}:${value}`, label: `${name}: ${value}` })),
      ),
    ),
    ...questions.flatMap((question) =>
      variablesOf(question).map((variable) =>
        section(
          titleOf(question, variable),
          variable.values.map((answer) => {
            const clause = `${variable.by}:${answer}`;
            return { value: clause, label: clauseName(clause, [named(question)]) };
          }),
        ),
      ),
    ),
  ].filter(({ options }) => options.length > 0);
}

/** A question, or a row of it, as a variable. */
export const titleOf = ({ order, text }: QuestionSummary, { row }: Variable) =>
  plainText([`Q${order}. ${text}`, row].filter(Boolean).join(' · '));

/** A question as the clauses of a filter name it. */
export const named = ({ questionId, order, rows }: QuestionSummary) => ({
  questionId,
  order,
  rows: rows.map(({ row }) => row),
});
