import type { Draft } from './draft';
import { ItemList } from './ItemList';

interface FieldsProps {
  draft: Draft;
  /** The element that says what is wrong, where something is. */
  problem?: string | undefined;
  onChange: (part: Partial<Draft>) => void;
}

export function ChoiceFields({ draft, problem, onChange }: FieldsProps) {
  return (
    <ItemList
      title="Options"
      name="Option"
      items={draft.options}
      least={1}
      problem={problem}
      onChange={(options) => onChange({ options })}
    />
  );
}
