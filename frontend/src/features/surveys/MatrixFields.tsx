import type { Draft } from './draft';
import { ItemList } from './ItemList';

interface FieldsProps {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
}

export function MatrixFields({ draft, onChange }: FieldsProps) {
  const written = draft.subQuestions.filter((row) => row.trim() !== '');
  const rows = written.length > 0 ? written : ['Main Question'];
  return (
    <>
      <ItemList
        title="Scale labels"
        name="Label"
        items={draft.scaleLabels}
        least={2}
        onChange={(scaleLabels) => onChange({ scaleLabels })}
      />
      <ItemList
        title="Sub-questions (optional)"
        name="Sub-question"
        items={draft.subQuestions}
        least={0}
        onChange={(subQuestions) => onChange({ subQuestions })}
      />
      <div className="preview">
        <table>
          <caption>Preview</caption>
          <thead>
            <tr>
              <td />
              {draft.scaleLabels.map((label, index) => (
                <th key={index} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, index) => (
              <tr key={index}>
                <th scope="row">{row}</th>
                {draft.scaleLabels.map((_, column) => (
                  <td key={column} aria-hidden="true">
                    ○
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
