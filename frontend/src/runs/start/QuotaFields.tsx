import { Form, InputNumber, Radio, Select } from 'antd';
import { count as formatted } from '@/ui/format';
import { quotasOf, type Draft, type Known, type Shape } from './twins';

/** How many twins of each value of an attribute. */
export function QuotaFields({
  draft,
  known,
  onChange,
}: {
  draft: Draft;
  known: Known;
  onChange: (changed: Partial<Draft>) => void;
}) {
  const quotas = quotasOf(draft, known);
  const own = Object.fromEntries(quotas.map(({ value, n }) => [value, n]));
  return (
    <>
      <Form.Item label="Attribute" htmlFor="quota-attribute">
        <Select<string>
          id="quota-attribute"
          showSearch
          placeholder="Gender"
          value={draft.label}
          onChange={(label) =>
            onChange({ label, ...(draft.shape === 'own' && { shape: 'proportional' as const }) })
          }
          options={known.attributes.map(({ label }) => ({ value: label, label }))}
        />
      </Form.Item>
      {quotas.length > 0 && (
        <>
          <Radio.Group
            aria-label="Quotas"
            className="twin-kinds"
            value={draft.shape}
            onChange={(event) => onChange({ shape: event.target.value as Shape, quotas: own })}
            options={[
              { value: 'proportional', label: 'As many as there are' },
              { value: 'equal', label: 'Equally many' },
              { value: 'own', label: 'Own numbers' },
            ]}
          />
          <ul className="quotas" aria-label={`Digital twins by ${draft.label ?? ''}`}>
            {quotas.map(({ value, available, n }, index) => (
              <li key={value}>
                <label htmlFor={`quota-${index}`}>{value}</label>
                <InputNumber
                  id={`quota-${index}`}
                  size="small"
                  min={0}
                  max={available}
                  precision={0}
                  value={n}
                  onChange={(typed) => onChange({ shape: 'own', quotas: { ...own, [value]: typed ?? 0 } })}
                />
                <span className="muted">of {formatted(available)}</span>
              </li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
