import type { Column } from '@/ui/DataTable';
import { Piped } from '@/ui/Piped';

/** A question by its name and its text. */
export const questionColumn = <Row extends { name: string; text: string }>(width: string): Column<Row> => ({
  title: 'Question',
  key: 'question',
  width,
  untitled: true,
  render: (_, { name, text }) => (
    <div>
      <code>{name}</code>
      <div>
        <Piped text={text} />
      </div>
    </div>
  ),
});
