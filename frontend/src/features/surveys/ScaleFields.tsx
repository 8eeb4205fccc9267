import { Input, InputNumber } from 'antd';
import { Banner } from '@/ui/Banner';
import { invalid } from '@/ui/invalid';
import { endsAreCrossed, type Draft } from './draft';

interface FieldsProps {
  draft: Draft;
  /** The element that says what is wrong, where something is. */
  problem?: string | undefined;
  onChange: (part: Partial<Draft>) => void;
}

const CROSSED = 'scale-crossed';

/** Slider and range: two ends, and what they stand for. */
export function ScaleFields({ draft, problem, onChange }: FieldsProps) {
  const { min, max, minDescription, maxDescription } = draft;
  const crossed = endsAreCrossed(draft);
  const ends = crossed ? invalid(CROSSED) : {};
  const missing = (field: unknown) =>
    problem !== undefined && (field === null || field === '') && invalid(problem);
  return (
    <>
      <div className="scale-fields">
        <div>
          <label htmlFor="scale-min">Minimum value</label>
          <InputNumber
            id="scale-min"
            {...ends}
            {...missing(min)}
            step={0.1}
            value={min}
            onChange={(value) => onChange({ min: value })}
          />
        </div>
        <div>
          <label htmlFor="scale-max">Maximum value</label>
          <InputNumber
            id="scale-max"
            {...ends}
            {...missing(max)}
            step={0.1}
            value={max}
            onChange={(value) => onChange({ max: value })}
          />
        </div>
        <div>
          <label htmlFor="scale-min-text">Minimum description</label>
          <Input
            id="scale-min-text"
            {...missing(minDescription)}
            value={minDescription}
            onChange={(event) => onChange({ minDescription: event.target.value })}
          />
        </div>
        <div>
          <label htmlFor="scale-max-text">Maximum description</label>
          <Input
            id="scale-max-text"
            {...missing(maxDescription)}
            value={maxDescription}
            onChange={(event) => onChange({ maxDescription: event.target.value })}
          />
        </div>
      </div>
      {crossed && (
        <Banner type="warning" id={CROSSED}>
          Minimum value must be less than maximum value
        </Banner>
      )}
      <div className="preview scale-preview" aria-hidden="true">
        <span>{minDescription || (min ?? 'Minimum')}</span>
        <span className="scale-track" />
        <span>{maxDescription || (max ?? 'Maximum')}</span>
      </div>
    </>
  );
}
