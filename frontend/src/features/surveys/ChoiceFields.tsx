import type { Draft } from './draft';
import { ItemList } from './ItemList';

interface FieldsProps {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
}

export function ChoiceFields({ draft, onChange }: FieldsProps) {
  return (
    <ItemList
      title="Options"
      name="Option"
      items={draft.options}
      least={1}
      onChange={(options) => onChange({ options })}
    />
  );
}
