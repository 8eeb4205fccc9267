import { useMemo } from 'react';
import { Table, type TableColumnsType } from 'antd';
import type { Question, SimulationResponse } from '@/api/types';

interface Row {
  personaId: number;
  personaName: string;
  answers: ReadonlyMap<number, string>;
}

/** A row per twin, a column per question; only the rows in sight are drawn. */
export function MatrixView({
  responses,
  questions,
}: {
  responses: SimulationResponse[];
  questions: Question[];
}) {
  const rows = useMemo(() => byPersona(responses), [responses]);
  const columns: TableColumnsType<Row> = [
    {
      title: 'Persona',
      key: 'persona',
      fixed: 'left',
      width: 130,
      render: (_, { personaId, personaName }) => personaName || `Persona ${personaId}`,
    },
    ...questions.map((question, index) => ({
      title: <abbr title={question.text}>Q{index + 1}</abbr>,
      key: String(question.id),
      width: 180,
      ellipsis: true,
      render: (_: unknown, { answers }: Row) => answers.get(question.id) ?? '–',
    })),
  ];
  return (
    <Table
      virtual
      rowKey="personaId"
      columns={columns}
      dataSource={rows}
      pagination={false}
      scroll={{ x: 130 + 180 * questions.length, y: 560 }}
      size="small"
    />
  );
}

/** Twins in the order of their ids. */
export function byPersona(responses: readonly SimulationResponse[]): Row[] {
  const rows = new Map<number, { personaId: number; personaName: string; answers: Map<number, string> }>();
  for (const { personaId, personaName, questionId, answer } of responses) {
    const row = rows.get(personaId) ?? { personaId, personaName, answers: new Map<number, string>() };
    row.answers.set(questionId, answer);
    rows.set(personaId, row);
  }
  return [...rows.values()].sort((a, b) => a.personaId - b.personaId);
}
