import { Button, Segmented, Select } from 'antd';
import type { QuestionSummary } from '@/api/types';
import { count } from '@/ui/format';
import { Help } from '@/ui/Help';
import { CrossIcon } from '@/ui/icons';
import { clauseName, type ResultFilter, type Sort } from '../filter';
import { percent } from './figures';
import { variablesOf, type Summary, type Variable } from './split';

const WHOLE = '';
/** Width of the lists, in pixels: with one, antd draws only the options that are seen. */
const POPUP = 340;

/** Split by, filter, and sort: all of it in the address. */
export function FilterBar({
  filter,
  summary,
  twins,
}: {
  filter: ResultFilter;
  summary: Summary;
  /** Of the run; unknown until it is loaded. */
  twins: number | undefined;
}) {
  const { questions, attributes, n } = summary;
  return (
    <div className="filter-bar">
      <div className="filter-field">
        <label htmlFor="split-by">Split by</label>
        <Select
          id="split-by"
          className="split-by"
          showSearch={{ optionFilterProp: 'label' }}
          value={filter.by ?? WHOLE}
          popupMatchSelectWidth={POPUP}
          options={[
            { value: WHOLE, label: 'No split' },
            ...sections(
              attributes.map((name) => ({ value: name, label: name })),
              questions.flatMap((question) =>
                variablesOf(question).map((variable) => ({
                  value: variable.by,
                  label: titleOf(question, variable),
                })),
              ),
            ),
          ]}
          onChange={(value) => filter.splitBy(value === WHOLE ? null : value)}
        />
      </div>
      <div className="filter-field filter-chips">
        <label htmlFor="add-filter">Filter</label>
        {filter.where.map((clause) => {
          const name = clauseName(clause, questions.map(named));
          return (
            <Button
              key={clause}
              size="small"
              color="primary"
              variant="filled"
              className="filter-chip"
              aria-label={`Remove filter ${name}`}
              title={name}
              icon={<CrossIcon />}
              iconPlacement="end"
              onClick={() => filter.remove(clause)}
            >
              <span>{name}</span>
            </Button>
          );
        })}
        <Select<string | null>
          id="add-filter"
          className="add-filter"
          showSearch={{ optionFilterProp: 'label' }}
          value={null}
          placeholder="Add filter"
          popupMatchSelectWidth={POPUP}
          options={clauses(summary, filter.where)}
          onChange={(clause) => {
            if (clause !== null) filter.add(clause);
          }}
        />
      </div>
      <div className="filter-field">
        <span id="sort-label">Sort</span>
        <Segmented<Sort>
          aria-labelledby="sort-label"
          value={filter.sort}
          options={[
            { value: 'asked', label: 'As asked' },
            { value: 'share', label: 'By share' },
          ]}
          onChange={filter.sortBy}
        />
      </div>
      <p className="filter-n" role="status">
        <strong>{count(n)}</strong>
        {twins !== undefined && twins > 0 ? ` of ${count(twins)} twins (${percent(n / twins, 1)})` : ' twins'}
      </p>
      <span className="filter-help">
        95 % CI
        <Help term="interval" />
      </span>
    </div>
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

const sections = (attributes: object[], questions: object[]) =>
  [
    { label: 'Attributes', options: attributes },
    { label: 'Answers to a question', options: questions },
  ].filter(({ options }) => options.length > 0);

const titleOf = ({ order, text }: QuestionSummary, { row }: Variable) =>
  [`Q${order}. ${text}`, row].filter(Boolean).join(' · ');

/** What names a clause about the question. */
const named = ({ questionId, order, rows }: QuestionSummary) => ({
  questionId,
  order,
  rows: rows.map(({ row }) => row),
});
