import { Input, InputNumber } from 'antd';
import { Banner } from '@/ui/Banner';
import { endsAreCrossed, type Draft } from './draft';

interface FieldsProps {
  draft: Draft;
  onChange: (part: Partial<Draft>) => void;
}

/** Slider and range: two ends, and what they stand for. */
export function ScaleFields({ draft, onChange }: FieldsProps) {
  const { min, max, minDescription, maxDescription } = draft;
  return (
    <>
      <div className="scale-fields">
        <div>
          <label htmlFor="scale-min">Minimum value</label>
          <InputNumber id="scale-min" step={0.1} value={min} onChange={(value) => onChange({ min: value })} />
        </div>
        <div>
          <label htmlFor="scale-max">Maximum value</label>
          <InputNumber id="scale-max" step={0.1} value={max} onChange={(value) => onChange({ max: value })} />
        </div>
        <div>
          <label htmlFor="scale-min-text">Minimum description</label>
          <Input
            id="scale-min-text"
            value={minDescription}
            onChange={(event) => onChange({ minDescription: event.target.value })}
          />
        </div>
        <div>
          <label htmlFor="scale-max-text">Maximum description</label>
          <Input
            id="scale-max-text"
            value={maxDescription}
            onChange={(event) => onChange({ maxDescription: event.target.value })}
          />
        </div>
      </div>
      {endsAreCrossed(draft) && <Banner type="warning">Minimum value must be less than maximum value</Banner>}
      <div className="preview scale-preview" aria-hidden="true">
        <span>{minDescription || (min ?? 'Minimum')}</span>
        <span className="scale-track" />
        <span>{maxDescription || (max ?? 'Maximum')}</span>
      </div>
    </>
  );
}
