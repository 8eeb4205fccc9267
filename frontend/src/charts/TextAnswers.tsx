import { useState } from 'react';
import { Alert, Button, Flex } from 'antd';
import { failed } from '@/api/client';
import { LIVE_MS } from '@/api/live';
import { useTexts, type TextSource } from '@/api/texts';
import type { GivenText, QuestionSummary } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { count } from '@/ui/format';
import { CrossIcon } from '@/ui/icons';
import { percent } from '@/ui/numbers';
import { Loading } from '@/ui/Page';
import { SearchField } from '@/ui/SearchField';
import type { ResultFilter } from './filter';
import { type Part } from './figures';
import { textSearchQuery, useTextSearch, type TextSearch } from './textSearch';
import { NOT_GROUPED, Themes } from './Themes';

const PAGE = 10;

/** Answers in free words: by the words they share, by group, searched, and equal ones counted together. */
export function TextAnswers({
  source,
  question,
  query,
  groups,
  moving,
}: {
  source: TextSource;
  question: QuestionSummary;
  query: ResultFilter['query'];
  groups: readonly Part[];
  moving: boolean;
}) {
  const { order, questionId } = question;
  const [sought, setSought] = useTextSearch(order);
  const [page, setPage] = useState(1);
  const seek = (change: Partial<TextSearch>) => {
    setSought(change);
    setPage(1);
  };
  const q = sought.q.trim();
  // A group of another split is none of these.
  const part = groups.find(({ name }) => name === sought.group);
  const group = part?.name ?? null;
  const asked = part?.figures ?? question;
  const marked = [q, sought.theme === NOT_GROUPED ? '' : (sought.theme ?? '')];
  const { data, error, isLoading } = useTexts(
    source,
    {
      questionId,
      limit: PAGE,
      offset: (page - 1) * PAGE,
      ...query,
      ...textSearchQuery(sought, groups),
    },
    moving ? LIVE_MS : null,
  );
  if (error !== undefined && data === undefined)
    return <Alert type="error" title={failed('Failed to load the answers', error)} />;
  if (data === undefined) return <Loading />;
  const columns: Column<GivenText>[] = [
    {
      title: 'Answer',
      key: 'text',
      untitled: true,
      render: (_, { text }) => <Marked text={text} words={marked} />,
    },
    {
      title: 'Twins',
      key: 'count',
      align: 'right',
      width: 130,
      render: (_, row) => `${count(row.count)} (${percent(row.count / Math.max(1, asked.n), 1)})`,
    },
  ];
  return (
    <div className="text-answers stack">
      <Themes
        themes={data.themes}
        groups={groups}
        chosen={sought.theme}
        onChoose={(theme) => seek({ theme })}
      />
      <div className="text-list stack gap-3">
        <div className="text-search row gap-3">
          <SearchField
            label={`Search the answers to question ${order}`}
            placeholder="Search the answers"
            q={sought.q}
            onChange={(wanted) => seek({ q: wanted })}
          />
          <p className="muted small" role="status">
            {count(data.n)} of {count(question.n)} answers, {count(data.total)} different
          </p>
        </div>
        <Flex wrap gap="small">
          {sought.theme !== null && (
            <Button
              size="small"
              color="primary"
              variant="filled"
              className="filter-chip"
              icon={<CrossIcon />}
              iconPlacement="end"
              aria-label={`Remove theme ${sought.theme}`}
              onClick={() => seek({ theme: null })}
            >
              <span>Theme: {sought.theme}</span>
            </Button>
          )}
          {groups.length > 0 && (
            <Groups
              groups={groups}
              counts={data.groups}
              chosen={group}
              order={order}
              onChoose={(chosen) => seek({ group: chosen })}
            />
          )}
        </Flex>
        <DataTable
          rows={data.texts}
          columns={columns}
          rowKey="text"
          name={`answers to question ${order}`}
          loading={isLoading}
          empty={q === '' && sought.theme === null ? 'No answers' : 'No answer like this'}
          aria-label={`Answers to question ${order}`}
          paged={{ page, size: PAGE, total: data.total, onChange: setPage }}
        />
      </div>
    </div>
  );
}

/** Chips: whose answers are read, with how many of those that were found each group has. */
function Groups({
  groups,
  counts,
  chosen,
  order,
  onChoose,
}: {
  groups: readonly Part[];
  counts: readonly { value: string; n: number }[];
  chosen: string | null;
  order: number;
  onChoose: (group: string | null) => void;
}) {
  const chip = (name: string | null, words: string) => (
    <Button
      key={words}
      size="small"
      shape="round"
      className="filter-chip"
      aria-pressed={name === chosen}
      {...(name === chosen && { color: 'primary' as const, variant: 'filled' as const })}
      onClick={() => onChoose(name)}
    >
      <span>{words}</span>
    </Button>
  );
  return (
    <Flex wrap gap="small" role="group" aria-label={`Whose answers to question ${order}`}>
      {chip(null, 'All')}
      {groups.map(({ name }) =>
        chip(name, `${name} ${count(counts.find(({ value }) => value === name)?.n ?? 0)}`),
      )}
    </Flex>
  );
}

/** A text with what was searched for marked. */
function Marked({ text, words }: { text: string; words: readonly string[] }) {
  const sought = words.filter((word) => word !== '').map(patternOf);
  if (sought.length === 0) return text;
  const parts = text.split(new RegExp(`(${sought.join('|')})`, 'gi'));
  return parts.map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
}

/** Words of a theme stand side by side, with whatever punctuation between them. */
const patternOf = (words: string) =>
  words
    .trim()
    .split(/\s+/)
    .map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'))
    .join('\\W+');
