import type { TablePaginationConfig } from 'antd';
import { count } from './format';

/** Page buttons of a table whose rows the server hands out page by page. */
export function pagesOf({
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
}): TablePaginationConfig {
  return {
    current: page,
    pageSize: size,
    total,
    onChange,
    hideOnSinglePage: true,
    showSizeChanger: false,
    showTotal: (all, [from, to]) => `${count(from)} to ${count(to)} of ${count(all)} ${name}`,
  };
}
