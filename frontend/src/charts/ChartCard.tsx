import { memo, useRef, useState } from 'react';
import { Table } from 'antd';
import type { TextSource } from '@/api/texts';
import type { QuestionSummary } from '@/api/types';
import { typeName } from '@/question-types/questionTypes';
import { count } from '@/ui/format';
import { percent } from '@/ui/numbers';
import { Piped } from '@/ui/Piped';
import { plainText, readsField, type FieldTexts } from '@/ui/piped';
import type { ResultFilter, Sort } from './filter';
import { Agreement } from './Agreement';
import { Bars, GroupedBars, SplitBars, splitFits } from './Bars';
import { columnsFit, GroupedColumns } from './Columns';
import { ALL, kindOf, ratingsOf, type Part } from './figures';
import { ChartMenu } from './ChartMenu';
import { extentOf, useWidest } from './extent';
import { Histograms } from './Histograms';
import { Means, measureOf } from './Means';
import { shareAxis } from './scale';
import { partsOf, type Split } from './split';
import { Symbols } from './symbols';
import { tableOf } from './table';
import { findingsOf, findingWords, noteOf, type TestRule } from './tests';
import { TextAnswers } from './TextAnswers';
import { TextMenu } from './TextMenu';
import { useNearViewport } from './useNearViewport';

/** The number of answers from which axes are held: shares of fewer answers still leap. */
const STEADY = 50;

/** The context that all charts of a page share. */
export interface ChartContext {
  texts: TextSource;
  split: Split | null;
  query: ResultFilter['query'];
  sort: Sort;
  /** How the groups are tested. */
  rule: TestRule;
  /** Inside a card, in pixels. */
  width: number;
  /** Answers still come in. */
  moving: boolean;
  /** All charts are drawn at once, for paper. */
  printed?: boolean;
  /** These are not all answers that were asked for. */
  partial: boolean;
  /** The source line: the program, the data set and the model. */
  source: string;
}

/** The chart that fits a question, with all that must be known to read it. */
export const ChartCard = memo(function ChartCard({
  question,
  setting,
}: {
  question: QuestionSummary;
  setting: ChartContext;
}) {
  const { order, text, n } = question;
  const { split, partial, source, moving } = setting;
  const [near, section] = useNearViewport(kindOf(question) === 'texts' && !moving);
  const [tabled, setTabled] = useState(false);
  const plot = useRef<HTMLDivElement>(null);
  const parts = partsOf(question, split);
  const every = [{ name: ALL, figures: question }, ...parts];
  const { type, several, rest } = metaOf(question, setting, parts.length > 0);
  const finding = findingWords(question, parts, split, moving);
  const from = `${source} · n = ${count(n)}${partial ? ', partial' : ''}`;
  const words = {
    title: `Q${order}. ${plainText(text)}`,
    meta: [type, several, rest].filter(Boolean).join(' · '),
    finding,
    source: from,
  };
  return (
    <section className="chart card" id={`question-${order}`} aria-label={`Question ${order}`} ref={section}>
      <header className="chart-head line gap-3 between">
        <div>
          <h2>
            <span className="chart-number">Q{order}.</span> <Piped text={text} />
          </h2>
          <Readings text={text} parts={parts} armTexts={split?.armTexts ?? {}} />
          <p className="chart-meta muted small">
            {type}
            {several !== '' && (
              <>
                {' · '}
                <strong className="chart-warning">{several}</strong>
              </>
            )}
            {rest !== '' && ` · ${rest}`}
          </p>
        </div>
        {kindOf(question) === 'texts' ? (
          <TextMenu source={setting.texts} question={question} query={setting.query} groups={parts} />
        ) : (
          <ChartMenu
            question={question}
            every={every}
            rule={moving ? null : setting.rule}
            plot={plot}
            words={words}
            tabled={tabled}
            onTable={setTabled}
          />
        )}
      </header>
      <div className="chart-plot" ref={plot}>
        {tabled ? (
          <FigureTable question={question} every={every} />
        ) : (
          (near || setting.printed === true) && <Plot question={question} parts={parts} setting={setting} />
        )}
      </div>
      <footer className="chart-foot">
        <p>
          <Symbols text={finding} />
        </p>
        <p>{from}</p>
      </footer>
    </section>
  );
});

/** The question as the twins of each arm read it, where the arms that split the chart differ in it. */
function Readings({
  text,
  parts,
  armTexts,
}: {
  text: string;
  parts: readonly Part[];
  armTexts: Readonly<Record<string, FieldTexts>>;
}) {
  const read = parts.filter(({ name }) => readsField(text, armTexts[name] ?? {}));
  if (read.length === 0) return null;
  return (
    <dl className="chart-readings stack">
      {read.map(({ name }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Piped text={text} fields={armTexts[name] ?? {}} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

/** The line below a chart's title: type and n, whether several answers are possible, and how to read the figures. */
function metaOf(question: QuestionSummary, { query }: ChartContext, divided: boolean) {
  const kind = kindOf(question);
  const rest = {
    choice: `share of ${divided ? 'each group' : 'twins'}, with 95 % CI`,
    several: `share of ${divided ? 'each group' : 'twins'}, with 95 % CI; shares add to more than 100 %`,
    agreement: `share of ${divided ? 'each group' : 'twins'} in %, mean of 1 to ${ratingsOf(question)[0]?.counts.length ?? 0}`,
    means: measureOf(question.questionType).words,
    numbers: [divided ? 'same bins and height for every group' : '', topTwoNumbers(question)]
      .filter(Boolean)
      .join(' · '),
    texts: '',
  };
  const marked =
    kind === 'choice' && !divided && question.counts.some(({ probability }) => probability != null);
  return {
    type: `${typeName(question.questionType)} · n = ${count(question.n)}${query.where === undefined ? '' : ' after the filter'}`,
    several: kind === 'several' ? 'several answers possible' : '',
    rest: marked ? `${rest[kind]}; the mark is the mean probability that twins gave` : rest[kind],
  };
}

/** The figures behind a chart. */
function FigureTable({ question, every }: { question: QuestionSummary; every: readonly Part[] }) {
  const { head, lines } = tableOf(question, every);
  return (
    <Table
      className="figure-table tabular"
      size="small"
      pagination={false}
      scroll={{ x: 'max-content' }}
      rowKey={(line) => lines.indexOf(line)}
      dataSource={lines}
      columns={head.map((title, index) => ({
        title,
        key: index,
        align: index >= head.length - every.length ? ('right' as const) : ('left' as const),
        render: (_: unknown, line: string[]) => <div className="figure-cell">{line[index]}</div>,
      }))}
    />
  );
}

/** The share of the two highest numbers of a short scale, in words; empty for other numbers. */
function topTwoNumbers({ bins }: QuestionSummary): string {
  const scale = bins.length >= 4 && bins.length <= 11 && bins.every(({ from, to }) => from === to);
  const two = bins.slice(-2);
  return scale
    ? `top 2 (${two.map(({ from }) => from).join(', ')}): ${percent(two.reduce((sum, { share }) => sum + share, 0))}`
    : '';
}

function Plot({
  question,
  parts,
  setting,
}: {
  question: QuestionSummary;
  parts: readonly Part[];
  setting: ChartContext;
}) {
  const { texts, query, sort, width, moving } = setting;
  const kind = kindOf(question);
  const every: Part[] = [{ name: ALL, figures: question }, ...parts];
  const figures = every.map((part) => part.figures);
  const key = JSON.stringify([query, question.n >= STEADY]);
  const options = question.counts.map(({ value }) => value);
  const held = useWidest(key, moving && question.n >= STEADY, extentOf(kind, figures, options));
  if (kind === 'texts')
    return <TextAnswers source={texts} question={question} query={query} groups={parts} moving={moving} />;
  if (question.n === 0) return <p className="muted">No answers {moving ? 'yet' : 'here'}.</p>;
  const label = `Chart: ${plainText(question.text)}`;
  const found = moving ? [] : findingsOf(question).filter(({ part }) => part !== '');
  if (kind === 'numbers') {
    const most = shareAxis(held.most);
    return (
      <Histograms
        whole={question}
        parts={parts}
        width={width}
        axes={{ range: [held.low, held.high], most }}
        label={label}
      />
    );
  }
  if (kind === 'means') {
    const measure = measureOf(question.questionType);
    const rows = ratingsOf(question);
    const best = measure.lowIsBest ? -1 : 1;
    const sorted =
      sort === 'share' ? rows.toSorted((one, other) => best * ((other.mean ?? 0) - (one.mean ?? 0))) : rows;
    return (
      <Means
        every={every}
        rows={sorted.map(({ row }) => row)}
        type={question.questionType}
        width={width}
        ends={[held.low, held.high]}
        label={label}
        notes={new Map(found.map((test) => [test.part, noteOf(test, true)]))}
      />
    );
  }
  if (kind === 'agreement') {
    const rows = ratingsOf(question);
    const sorted =
      sort === 'share' ? rows.toSorted((one, other) => (other.mean ?? 0) - (one.mean ?? 0)) : rows;
    return (
      <Agreement
        every={every}
        rows={sorted.map(({ row }) => row)}
        width={width}
        reaches={{ left: -held.low, right: held.high }}
        label={label}
        notes={new Map(found.map((test) => [test.part, noteOf(test, true)]))}
      />
    );
  }
  const sorted =
    sort === 'share'
      ? question.counts.toSorted((one, other) => other.count - one.count).map(({ value }) => value)
      : options;
  const choice = { options: sorted, whole: question, width, most: shareAxis(held.most), label };
  if (parts.length === 0) return <Bars {...choice} />;
  if (kind === 'choice' && columnsFit(sorted, parts, width))
    return <GroupedColumns {...choice} parts={parts} />;
  const columns = splitFits(
    sorted,
    parts.map(({ name }) => name),
    width,
  );
  if (columns !== null)
    return (
      <SplitBars
        {...choice}
        parts={parts}
        turned={columns === 'options'}
        notes={
          new Map(
            found.map((test) => [
              test.part,
              { text: noteOf(test, false), differs: test.verdict === 'differs' },
            ]),
          )
        }
      />
    );
  return <GroupedBars {...choice} parts={parts} />;
}
