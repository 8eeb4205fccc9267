import { useState } from 'react';
import { Button } from 'antd';
import { useGet } from '@/api/hooks';
import type { Question, RunAddress } from '@/api/types';
import { AddFilter } from '@/charts/AddFilter';
import { clauseName, namesOf, useResultFilter } from '@/charts/filter';
import { CrossIcon } from '@/ui/icons';

const SUMMARY = '/api/surveys/{surveyId}/simulation/{simulationId}/summary';

/** The clauses of the charts' filter above a table, and the button that adds one. */
export function ActiveFilters({ run, questions }: { run: RunAddress; questions: readonly Question[] }) {
  const { where, add, remove } = useResultFilter();
  // The values are asked for when the list is opened: a table shows without them.
  const [opened, setOpened] = useState(false);
  const summary = useGet(
    opened ? SUMMARY : null,
    { params: { path: run } },
    { revalidateOnFocus: false },
  ).data;
  const names = namesOf(questions);
  return (
    <div className="narrowed row">
      {where.length > 0 && 'Only twins with'}
      {where.map((clause) => {
        const name = clauseName(clause, names);
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
      <AddFilter
        label="Add filter"
        summary={summary}
        where={where}
        onAdd={add}
        onOpen={() => setOpened(true)}
      />
    </div>
  );
}
