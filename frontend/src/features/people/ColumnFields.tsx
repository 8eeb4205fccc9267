import { Collapse, Form, Input } from 'antd';
import type { ShareTexts } from './margins';

/** Columns and attributes by their names, as the user types them. */
export const NO_COLUMNS = {
  arm: '',
  weight: '',
  by: '',
  cells: '',
  twinWeight: '',
  probability: '',
  regress: '',
  adjust: '',
};

export type ColumnNames = typeof NO_COLUMNS;

/** The fields for columns of people's answers that are no questions. `id` sets two such groups on a page apart. */
export function ColumnFields({
  id,
  columns,
  shares,
  onColumns,
  onShares,
}: {
  id: string;
  columns: ColumnNames;
  shares: ShareTexts;
  onColumns: (columns: ColumnNames) => void;
  onShares: (shares: ShareTexts) => void;
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
  const lines = (name: keyof ShareTexts, label: string, extra: string, example: string) => (
    <Form.Item label={label} htmlFor={`${id}-shares-${name}`} extra={extra} className="people-margins">
      <Input.TextArea
        id={`${id}-shares-${name}`}
        placeholder={example}
        rows={2}
        value={shares[name]}
        onChange={(event) => onShares({ ...shares, [name]: event.target.value })}
      />
    </Form.Item>
  );
  return (
    <>
      {field('arm', 'Column of the arm', 'fee_arm')}
      {field('weight', 'Column of weights', 'weight')}
      {field('by', 'Column of groups', 'gender')}
      {field('cells', 'Match people without ids by', 'Gender,Age')}
      <Collapse
        className="people-wide"
        size="small"
        items={[
          {
            key: 'more',
            label:
              'Weights of twins, shares of the population and of cells, outcomes of several questions, covariates, regressions, people sampled with known probabilities',
            children: (
              <div className="people-form">
                {field('twinWeight', 'Twins’ attribute of weights', 'Weight')}
                {field('adjust', 'Adjust effects of arms for', 'Age,mood_before')}
                {field('regress', 'Regress on attributes', 'Gender,Age')}
                {field('probability', 'Column of drawing probabilities', 'probability')}
                {lines(
                  'formulas',
                  'Outcomes of several questions',
                  'Compared as questions are: an outcome a line',
                  'trust = mean(honest, reverse(greedy))',
                )}
                {lines(
                  'margins',
                  'Shares of the population',
                  'In place of weights: an attribute a line',
                  'Gender: Female = 52 %; Male = 48 %',
                )}
                {lines(
                  'cells',
                  'Shares of the cells',
                  'With “Match people without ids by”, in place of the twins’ own: a cell a line, its values in that order',
                  'Female · 18-29 = 11 %',
                )}
              </div>
            ),
          },
        ]}
      />
    </>
  );
}
