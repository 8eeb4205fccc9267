import { useMemo } from 'react';
import { Tag, type TableProps } from 'antd';
import type { MatrixRow, Question } from '@/api/types';
import { isNumber } from '@/question-types/questionTypes';
import { DataTable, type Column, type Paged } from '@/ui/DataTable';
import { Piped } from '@/ui/Piped';
import { plainText } from '@/ui/piped';
import { usePrinting } from './usePrinting';
import { answersTo, ratingsOf, wordsOf } from './matrix';
import { PERSONA, type MatrixSort } from './matrixSort';
import { useNearColumns } from './nearColumns';
import { PrintedMatrix } from './PrintedMatrix';
import { nameOf, TwinButton, useTwinAnswers, type TwinAnswers } from './TwinAnswers';

/** Twins per page. */
export const PAGE = 50;
/** Column widths in pixels. */
const PERSONA_PX = 170;
const ANSWER_PX = 180;
const NUMBER_PX = 110;

/** A row per twin, a column per question; a matrix question has one per sub-question. Columns far away are not drawn. */
export function MatrixTable({
  rows,
  questions,
  loading = false,
  sourceOf,
  sort,
  onSort,
  paged,
}: {
  rows: readonly MatrixRow[];
  questions: readonly Question[];
  loading?: boolean;
  /** The source of a twin's text; none where twins are invented. */
  sourceOf?: (row: MatrixRow) => TwinAnswers['source'];
  /** How the rows are sorted, and what changes that; without it the columns cannot be sorted by. */
  sort?: MatrixSort | null;
  onSort?: (sort: MatrixSort | null) => void;
  paged?: Paged;
}) {
  const printing = usePrinting();
  const { open, dialog } = useTwinAnswers();
  const widths = useMemo(() => questions.map(widthOf), [questions]);
  const { near, onScroll } = useNearColumns(widths, paged?.page ?? 1);
  const { first, end, before, after } = near;
  const answered = useMemo(() => questions.map(columnOf), [questions]);
  const persona = useMemo<AnswerColumn>(() => {
    const answersOf = (row: MatrixRow): TwinAnswers => {
      const source = sourceOf?.(row);
      return {
        twin: nameOf(row),
        answers: questions.flatMap((question, index) =>
          answersTo(question, question.order - 1, row.answers[index]),
        ),
        ...(Object.keys(row.attributes).length > 0 && { attributes: row.attributes }),
        ...(source !== undefined && { source }),
      };
    };
    return {
      title: 'Persona',
      key: PERSONA,
      fixed: 'start',
      width: PERSONA_PX,
      render: (_, row, place) => (
        <TwinButton name={nameOf(row)} onClick={() => open(rows.map(answersOf), place)} />
      ),
    };
  }, [questions, open, rows, sourceOf]);
  const drawn = [persona, ...gap('before', before), ...answered.slice(first, end), ...gap('after', after)];
  const columns = onSort === undefined ? drawn : drawn.map((column) => sortable(column, sort ?? null));
  const change: TableProps<MatrixRow>['onChange'] = (_page, _filters, sorter) => {
    const { columnKey, order } = [sorter].flat()[0] ?? {};
    onSort?.(order == null ? null : { column: String(columnKey), down: order === 'descend' });
  };
  const width = widths.reduce((sum, each) => sum + each, PERSONA_PX);
  return (
    <>
      <DataTable
        rows={rows}
        rowKey="personaId"
        columns={columns}
        name="digital twins"
        aria-label="Answers by digital twin and question"
        loading={loading}
        scroll={{ x: width }}
        onScroll={onScroll}
        onChange={change}
        showSorterTooltip={false}
        size={PAGE}
        {...(paged !== undefined && { paged })}
      />
      {printing && <PrintedMatrix rows={rows} questions={questions} />}
      {dialog}
    </>
  );
}

/** The rows come sorted: the head only says how, and asks for another order. */
function sortable(column: AnswerColumn, sort: MatrixSort | null): AnswerColumn {
  const { key, children, untitled } = column;
  // A gap, or a question whose rows are columns.
  if (untitled === true) return column;
  if (children !== undefined) return { ...column, children: children.map((each) => sortable(each, sort)) };
  const order = sort?.down === true ? 'descend' : 'ascend';
  return { ...column, sorter: true, sortOrder: sort?.column === String(key) ? order : null };
}

/** Stands for columns that are not drawn, and is as wide. */
function gap(key: string, width: number): AnswerColumn[] {
  const empty = () => ({ 'aria-hidden': true });
  return width === 0 ? [] : [{ key, width, untitled: true, onCell: empty, onHeaderCell: empty }];
}

/** A matrix question has a column for each of its rows. */
type AnswerColumn = Column<MatrixRow> & { children?: AnswerColumn[] };

function widthOf({ questionType, subQuestions }: Question): number {
  return isNumber(questionType) ? NUMBER_PX : ANSWER_PX * Math.max(1, subQuestions.length);
}

function columnOf(question: Question, index: number): AnswerColumn {
  const { id, text, subQuestions, questionType } = question;
  const number = isNumber(questionType);
  const title = (
    <span className="matrix-head" title={plainText(text)}>
      <b>Q{question.order}</b>{' '}
      <span>
        <Piped text={text} />
      </span>
    </span>
  );
  if (subQuestions.length > 0) {
    const children = subQuestions.map((row, place): AnswerColumn => ({
      title: (
        <span className="matrix-head" title={plainText(row)}>
          <span>
            <Piped text={row} />
          </span>
        </span>
      ),
      key: `${id}-${place}`,
      width: ANSWER_PX,
      ellipsis: true,
      // One answer failed, not one for each sub-question.
      onCell: ({ answers }) =>
        answers[index]?.status !== 'failed' ? {} : { colSpan: place === 0 ? subQuestions.length : 0 },
      render: (_, { answers }) =>
        answers[index]?.status === 'failed' ? (
          <Tag color="error">failed</Tag>
        ) : (
          ratingsOf(answers[index], question)[place]
        ),
    }));
    return { title, key: id, children };
  }
  return {
    title,
    key: id,
    width: widthOf(question),
    align: number ? 'right' : 'left',
    ellipsis: true,
    render: (_, { answers }) => {
      const cell = answers[index];
      return cell?.status === 'failed' ? <Tag color="error">failed</Tag> : wordsOf(cell);
    },
  };
}
