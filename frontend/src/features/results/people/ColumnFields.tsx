import { Collapse, Form, Input } from 'antd';

/** Columns and attributes by their names, as the user types them. */
export const NO_COLUMNS = {
  arm: '',
  weight: '',
  by: '',
  cells: '',
  twinWeight: '',
  probability: '',
  regress: '',
};

export type ColumnNames = typeof NO_COLUMNS;

/** What the columns of people's answers are, beside those of questions. `id` sets two such groups on a page apart. */
export function ColumnFields({
  id,
  columns,
  margins,
  onColumns,
  onMargins,
}: {
  id: string;
  columns: ColumnNames;
  margins: string;
  onColumns: (columns: ColumnNames) => void;
  onMargins: (margins: string) => void;
}) {
  const field = (name: keyof ColumnNames, label: string, example: string) => (
    <Form.Item label={label} htmlFor={`${id}-${name}`}>
      <Input
        id={`${id}-${name}`}
        placeholder={example}
        value={columns[name]}
        onChange={(event) => onColumns({ ...columns, [name]: event.target.value })}
      />
    </Form.Item>
  );
  return (
    <>
      {field('arm', 'Column of the arm', 'fee_arm')}
      {field('weight', 'Column of weights', 'weight')}
      {field('by', 'Column of groups', 'gender')}
      {field('cells', 'Pair without ids by', 'Gender,Age')}
      <Collapse
        className="people-wide"
        size="small"
        items={[
          {
            key: 'more',
            label: 'Weights of twins, shares of the population, regressions, people who were drawn',
            children: (
              <div className="people-form">
                {field('twinWeight', 'Twins’ attribute of weights', 'Weight')}
                {field('regress', 'Regress on attributes', 'Gender,Age')}
                {field('probability', 'Column of drawing probabilities', 'probability')}
                <Form.Item
                  label="Shares of the population"
                  htmlFor={`${id}-margins`}
                  extra="In place of weights: an attribute a line"
                  className="people-margins"
                >
                  <Input.TextArea
                    id={`${id}-margins`}
                    placeholder="Gender: Female = 52 %; Male = 48 %"
                    rows={2}
                    value={margins}
                    onChange={(event) => onMargins(event.target.value)}
                  />
                </Form.Item>
              </div>
            ),
          },
        ]}
      />
    </>
  );
}
