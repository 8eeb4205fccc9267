import { Button, Segmented, Select } from 'antd';
import { count } from '@/ui/format';
import { Help } from '@/ui/Help';
import { CrossIcon } from '@/ui/icons';
import { percent } from '@/ui/numbers';
import { clauseName, POSITION, type ResultFilter, type Sort } from './filter';
import { AddFilter, named, titleOf } from './AddFilter';
import { variablesOf, type Summary } from './split';

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
  /** The number of twins of the run; unknown until it is loaded. */
  twins: number | undefined;
}) {
  const { questions, attributes, arms, positions, n } = summary;
  const choices = (names: readonly string[]) => names.map((name) => ({ value: name, label: name }));
  return (
    <div className="filter-bar row">
      <div className="filter-field row gap-2">
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
              [
                ...choices(arms),
                ...(positions ? [{ value: POSITION, label: 'Where it was asked in its block' }] : []),
              ],
              choices(attributes.filter((name) => !arms.includes(name))),
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
      <div className="filter-field row gap-2 filter-chips">
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
        <AddFilter summary={summary} where={filter.where} onAdd={filter.add} />
      </div>
      <div className="filter-field row gap-2">
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
      <span className="filter-help muted small">
        95 % CI
        <Help term="interval" />
      </span>
    </div>
  );
}

const sections = (arms: object[], attributes: object[], questions: object[]) =>
  [
    { label: 'Arms and orders', options: arms },
    { label: 'Attributes', options: attributes },
    { label: 'Answers to a question', options: questions },
  ].filter(({ options }) => options.length > 0);
