import { Button } from 'antd';
import type { Question } from '@/api/types';
import { CrossIcon } from '@/ui/icons';
import { clauseName, useResultFilter } from './filter';

/** What the filter of the charts lets through to a table, clause by clause; nothing where it lets all through. */
export function Narrowed({ questions }: { questions: readonly Question[] }) {
  const { where, remove } = useResultFilter();
  if (where.length === 0) return null;
  const asked = questions.map(({ id, order, subQuestions }) => ({
    questionId: id,
    order,
    rows: subQuestions,
  }));
  return (
    <p className="narrowed">
      Only twins with
      {where.map((clause) => {
        const name = clauseName(clause, asked);
        return (
          <Button
            key={clause}
            size="small"
            color="primary"
            variant="filled"
            icon={<CrossIcon />}
            iconPlacement="end"
            aria-label={`Remove filter ${name}`}
            onClick={() => remove(clause)}
          >
            {name}
          </Button>
        );
      })}
    </p>
  );
}
