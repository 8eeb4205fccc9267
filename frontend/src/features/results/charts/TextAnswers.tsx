import { useState } from 'react';
import { Input } from 'antd';
import { useTexts } from '@/api/texts';
import type { GivenText, QuestionSummary, RunAddress } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { count } from '@/ui/format';
import { useSettled } from '@/ui/useSettled';
import type { ResultFilter } from '../filter';
import { percent, type Part } from './figures';

const PAGE = 10;
const LIVE_MS = 2000;
/** More groups stand in the file only. */
const MOST_GROUPS = 6;

/** Answers in free words: equal ones counted together, searched, and by group. */
export function TextAnswers({
  run,
  question,
  query,
  groups,
  moving,
}: {
  /** Null where nothing but the summary may be asked for. */
  run: RunAddress | null;
  question: QuestionSummary;
  query: ResultFilter['query'];
  groups: readonly Part[];
  moving: boolean;
}) {
  const [wanted, setWanted] = useState('');
  const [page, setPage] = useState(1);
  const q = useSettled(wanted.trim());
  const asked = {
    questionId: question.questionId,
    limit: PAGE,
    offset: (page - 1) * PAGE,
    ...query,
    ...(q !== '' && { q }),
  };
  const { data, error, isLoading } = useTexts(run, asked, moving ? LIVE_MS : null);
  // What the summary has: the answers of the first twins.
  const first = run === null || error !== undefined;
  const found = first ? gathered(question.texts, q) : data;
  const from = first ? (page - 1) * PAGE : 0;
  const rows = found?.texts.slice(from, from + PAGE) ?? [];
  const shown = groups.length <= MOST_GROUPS && rows.some((row) => row.groups.length > 0) ? groups : [];
  const columns: Column<GivenText>[] = [
    { title: 'Answer', key: 'text', render: (_, { text }) => <Marked text={text} q={q} /> },
    { title: 'Twins', key: 'count', align: 'right', width: 90, render: (_, row) => count(row.count) },
    {
      title: 'Share',
      key: 'share',
      align: 'right',
      width: 90,
      render: (_, row) => percent(row.count / Math.max(1, first ? question.texts.length : question.n), 1),
    },
    ...shown.map(({ name, figures }): Column<GivenText> => ({
      title: name,
      key: `group ${name}`,
      align: 'right',
      render: (_, row) => {
        const n = row.groups.find(({ value }) => value === name)?.n ?? 0;
        return figures.n === 0 ? '–' : `${count(n)} (${percent(n / figures.n)})`;
      },
    })),
  ];
  return (
    <div className="text-answers">
      <div className="text-search">
        <Input
          type="search"
          allowClear
          aria-label={`Search the answers to question ${question.order}`}
          placeholder="Search the answers"
          value={wanted}
          onChange={(event) => {
            setWanted(event.target.value);
            setPage(1);
          }}
        />
        <p role="status">
          {found === undefined
            ? ' '
            : `${count(found.total)} different answers of ${count(found.n)} twins${first && question.texts.length < question.n ? ', the first ones only' : ''}`}
        </p>
      </div>
      <DataTable
        rows={rows}
        columns={columns}
        rowKey="text"
        name={`answers to question ${question.order}`}
        loading={isLoading}
        empty={q === '' ? 'No answers' : 'No answer holds these words'}
        aria-label={`Answers to question ${question.order}`}
        paged={{ page, size: PAGE, total: found?.total ?? 0, onChange: setPage }}
      />
    </div>
  );
}

/** Equal texts counted together, the commonest first. */
export function gathered(texts: readonly string[], q: string) {
  const counts = new Map<string, number>();
  for (const text of texts) {
    if (text.toLowerCase().includes(q.toLowerCase())) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  const sorted = [...counts].sort(([, one], [, other]) => other - one);
  return {
    total: sorted.length,
    n: sorted.reduce((sum, [, number]) => sum + number, 0),
    texts: sorted.map(([text, number]): GivenText => ({ text, count: number, groups: [] })),
  };
}

/** A text with the words that were searched for marked. */
function Marked({ text, q }: { text: string; q: string }) {
  if (q === '') return text;
  const pattern = new RegExp(`(${q.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')})`, 'gi');
  return text.split(pattern).map((part, index) => (index % 2 === 1 ? <mark key={index}>{part}</mark> : part));
}
