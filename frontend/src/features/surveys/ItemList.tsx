import { Input } from 'antd';
import { Button } from '@/ui/Button';
import { invalid } from '@/ui/invalid';

/** A numbered list of texts that grows and shrinks. */
export function ItemList({
  title,
  name,
  items,
  least,
  problem,
  onChange,
}: {
  title: string;
  /** What one of them is called: `Option`. */
  name: string;
  items: string[];
  /** Items can be removed while more than this many are left. */
  least: number;
  /** The element that says what is wrong with empty ones. */
  problem?: string | undefined;
  onChange: (items: string[]) => void;
}) {
  return (
    <fieldset className="item-list">
      <legend>{title}</legend>
      {items.map((item, index) => (
        <div key={index} className="item">
          <span aria-hidden="true">{index + 1}.</span>
          <Input
            aria-label={`${name} ${index + 1}`}
            placeholder={`${name} ${index + 1}`}
            value={item}
            {...(problem !== undefined && item.trim() === '' && invalid(problem))}
            onChange={(event) => onChange(items.with(index, event.target.value))}
          />
          {items.length > least && (
            <Button
              size="sm"
              variant="ghost"
              aria-label={`Remove ${name.toLowerCase()} ${index + 1}`}
              onClick={() => onChange(items.toSpliced(index, 1))}
            >
              Remove
            </Button>
          )}
        </div>
      ))}
      <div>
        <Button size="sm" variant="secondary" onClick={() => onChange([...items, ''])}>
          + Add {name}
        </Button>
      </div>
    </fieldset>
  );
}
