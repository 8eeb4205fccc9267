import type { RefObject } from 'react';
import { App, Button, Dropdown } from 'antd';
import { saveFile, titledName } from '@/api/saveFile';
import type { QuestionSummary } from '@/api/types';
import { MoreIcon } from '@/ui/icons';
import { copy, copyTable } from './clipboard';
import type { Part } from './figures';
import { pngOf, svgOf, type Words } from './picture';
import { csvOf, tableOf, tidyOf } from './table';

/** What can be done with a chart: saved, copied, read as a table. */
export function ChartMenu({
  question,
  every,
  plot,
  words,
  tabled,
  onTable,
}: {
  question: QuestionSummary;
  /** All twins and then the groups. */
  every: readonly Part[];
  /** Where the drawing is. */
  plot: RefObject<HTMLElement | null>;
  words: Words;
  /** The table is shown. */
  tabled: boolean;
  onTable: (tabled: boolean) => void;
}) {
  const { message } = App.useApp();
  const name = `question-${question.order}`;
  const file = titledName(name, question.text);
  const drawing = () => {
    const found = plot.current?.querySelector('svg.drawing');
    if (!(found instanceof SVGSVGElement)) throw new Error('There is no picture of a table');
    return found;
  };
  const actions: Record<string, () => Promise<void> | void> = {
    png: async () => saveFile(await pngOf(drawing(), words), `${file}.png`),
    svg: () => saveFile(new Blob([svgOf(drawing(), words)], { type: 'image/svg+xml' }), `${file}.svg`),
    csv: () =>
      saveFile(new Blob([csvOf(tidyOf(question, every))], { type: 'text/csv;charset=utf-8' }), `${file}.csv`),
    copyTable: () => copyTable(tableOf(question, every)),
    copyPicture: () => copy({ 'image/png': pngOf(drawing(), words) }),
    copyLink: () =>
      navigator.clipboard.writeText(`${location.origin}${location.pathname}${location.search}#${name}`),
    table: () => onTable(!tabled),
  };
  const run = async (key: string) => {
    try {
      await actions[key]?.();
      if (key.startsWith('copy')) void message.success('Copied');
    } catch {
      void message.error(
        key.startsWith('copy') ? 'Your browser does not let this page copy' : 'Failed to draw the picture',
      );
    }
  };
  const item = (key: string, label: string, extra = '') => ({ key, label, ...(extra !== '' && { extra }) });
  const pictured = !tabled && question.n > 0;
  return (
    <Dropdown
      autoFocus
      trigger={['click']}
      placement="bottomRight"
      menu={{
        onClick: ({ key }) => void run(key),
        items: [
          ...(pictured
            ? [item('png', 'PNG', 'with its source line'), item('svg', 'SVG', 'text stays text')]
            : []),
          item('csv', 'CSV', 'counts, shares, CI'),
          item('copyTable', 'Copy table'),
          ...(pictured ? [item('copyPicture', 'Copy picture')] : []),
          item('copyLink', 'Copy link', 'to this view'),
          { type: 'divider' as const },
          item('table', tabled ? 'Show as chart' : 'Show as table'),
        ],
      }}
    >
      <Button
        type="text"
        shape="circle"
        icon={<MoreIcon />}
        aria-label={`More about question ${question.order}`}
      />
    </Dropdown>
  );
}
