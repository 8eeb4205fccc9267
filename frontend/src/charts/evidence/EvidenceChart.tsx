import { useRef, type ReactNode } from 'react';
import { App, Button, Flex } from 'antd';
import { saveFile, titledName } from '@/api/saveFile';
import { FigureHelp, type Paragraph } from '@/ui/FigureHelp';
import { pngOf, svgOf } from '../picture';
import { csvOf, type Cell } from '../table';
import { useWidth } from '../useWidth';
import '../charts.css';

/** A chart of evidence with its words, saved as a picture or as the table that it shows. */
export function EvidenceChart({
  title,
  heading: Heading = 'h3',
  meta,
  about,
  lines,
  finding = '',
  source = 'Digital Twin Lab',
  children,
}: {
  title: string;
  /** The level of its title. */
  heading?: 'h2' | 'h3';
  /** The meaning of the marks. */
  meta: string;
  /** The paragraph that explains its figures. */
  about: Paragraph;
  /** The head and the rows of its table. */
  lines: readonly (readonly Cell[])[];
  /** The finding, in a sentence. */
  finding?: string;
  source?: string;
  children: (width: number) => ReactNode;
}) {
  const { message } = App.useApp();
  const [width, measure] = useWidth();
  const plot = useRef<HTMLDivElement>(null);
  const file = titledName('evidence', title);
  const drawing = () => plot.current?.querySelector<SVGSVGElement>('svg.drawing') ?? null;
  const words = { title, meta, finding, source };
  const picture = async (of: (drawing: SVGSVGElement) => Promise<Blob> | Blob, ending: string) => {
    const found = drawing();
    try {
      if (found !== null) saveFile(await of(found), `${file}.${ending}`);
    } catch {
      void message.error('Failed to draw the picture');
    }
  };
  const csv = () => saveFile(new Blob([csvOf(lines)], { type: 'text/csv;charset=utf-8' }), `${file}.csv`);
  return (
    <section className="evidence-chart" aria-label={title}>
      <Flex justify="space-between" align="flex-start" gap="small" wrap>
        <div className="evidence-words">
          <Heading>{title}</Heading>
          <p className="chart-meta muted small">
            {meta} · <FigureHelp about={about} />
          </p>
        </div>
        <Flex gap="small">
          <Button size="small" onClick={() => void picture((found) => pngOf(found, words), 'png')}>
            PNG
          </Button>
          <Button
            size="small"
            onClick={() =>
              void picture((found) => new Blob([svgOf(found, words)], { type: 'image/svg+xml' }), 'svg')
            }
          >
            SVG
          </Button>
          <Button size="small" onClick={csv}>
            CSV
          </Button>
        </Flex>
      </Flex>
      <div ref={measure}>
        <div ref={plot} className="chart-plot">
          {width > 0 && children(width)}
        </div>
      </div>
      {finding !== '' && (
        <div className="chart-foot">
          <p>{finding}</p>
          <p>{source}</p>
        </div>
      )}
    </section>
  );
}
