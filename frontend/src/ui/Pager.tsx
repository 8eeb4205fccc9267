import { Fragment } from 'react';
import { Button } from './Button';
import { count } from './format';
import './Pager.css';

/** Which rows of how many are shown, and the way to the others; nothing where all are. */
export function Pager({
  page,
  size,
  total,
  name,
  onChange,
}: {
  /** 1 is the first. */
  page: number;
  size: number;
  total: number;
  /** What the rows are. */
  name: string;
  onChange: (page: number) => void;
}) {
  if (total <= size) return null;
  const last = Math.ceil(total / size);
  const from = (page - 1) * size + 1;
  const offered = [...new Set([1, page - 1, page, page + 1, last])].filter(
    (each) => each >= 1 && each <= last,
  );
  return (
    <nav className="pager" aria-label={`Pages of ${name}`}>
      <span className="pager-place">
        {count(from)} to {count(Math.min(page * size, total))} of {count(total)} {name}
      </span>
      <Button size="sm" variant="outline" disabled={page === 1} onClick={() => onChange(page - 1)}>
        Previous
      </Button>
      {offered.map((each, index) => (
        <Fragment key={each}>
          {index > 0 && each - 1 !== offered[index - 1] && <span className="muted">…</span>}
          <Button
            size="sm"
            variant={each === page ? 'secondary' : 'ghost'}
            aria-label={`Page ${each}`}
            aria-current={each === page ? 'page' : undefined}
            onClick={() => onChange(each)}
          >
            {count(each)}
          </Button>
        </Fragment>
      ))}
      <Button size="sm" variant="outline" disabled={page >= last} onClick={() => onChange(page + 1)}>
        Next
      </Button>
    </nav>
  );
}
