import type { RefObject } from 'react';
import { saveFile } from '@/api/saveFile';
import type { QuestionSummary } from '@/api/types';
import { copy, copyTable } from './clipboard';
import type { Part } from './figures';
import { fileOf, MoreMenu, saveCsv } from './MoreMenu';
import { pngOf, svgOf, type Words } from './picture';
import { tableOf, tidyOf } from './table';
import type { TestRule } from './tests';

const COPY_FAILED = 'Your browser does not let this page copy';
const copyFailed = () => COPY_FAILED;
const drawFailed = () => 'Failed to draw the picture';

/** The menu of a chart: save it, copy it, read it as a table. */
export function ChartMenu({
  question,
  every,
  rule,
  plot,
  words,
  tabled,
  onTable,
}: {
  question: QuestionSummary;
  /** All twins and then the groups. */
  every: readonly Part[];
  /** How the groups are tested; null while answers come in. */
  rule: TestRule | null;
  /** The element that holds the drawing. */
  plot: RefObject<HTMLElement | null>;
  words: Words;
  /** The table is shown. */
  tabled: boolean;
  onTable: (tabled: boolean) => void;
}) {
  const file = fileOf(question);
  const drawing = () => {
    const found = plot.current?.querySelector('svg.drawing');
    if (!(found instanceof SVGSVGElement)) throw new Error('There is no picture of a table');
    return found;
  };
  const pictures = [
    {
      key: 'png',
      label: 'PNG',
      extra: 'with its source line',
      act: async () => saveFile(await pngOf(drawing(), words), `${file}.png`),
      failed: drawFailed,
    },
    {
      key: 'svg',
      label: 'SVG',
      extra: 'text stays text',
      act: () => saveFile(new Blob([svgOf(drawing(), words)], { type: 'image/svg+xml' }), `${file}.svg`),
      failed: drawFailed,
    },
  ];
  const copyPicture = {
    key: 'copyPicture',
    label: 'Copy picture',
    act: () => copy({ 'image/png': pngOf(drawing(), words) }),
    failed: copyFailed,
    copies: true,
  };
  const pictured = !tabled && question.n > 0;
  return (
    <MoreMenu
      question={question}
      copyFailed={COPY_FAILED}
      items={[
        ...(pictured ? pictures : []),
        {
          key: 'csv',
          label: 'CSV',
          extra: 'counts, shares, CI, tests',
          act: () => saveCsv(question, tidyOf(question, every, rule)),
          failed: drawFailed,
        },
        {
          key: 'copyTable',
          label: 'Copy table',
          act: () => copyTable(tableOf(question, every)),
          failed: copyFailed,
          copies: true,
        },
        ...(pictured ? [copyPicture] : []),
      ]}
      last={{
        key: 'table',
        label: tabled ? 'Show as chart' : 'Show as table',
        act: () => onTable(!tabled),
        failed: drawFailed,
      }}
    />
  );
}
