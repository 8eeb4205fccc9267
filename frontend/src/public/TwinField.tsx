const columns = 18;
const rows = 9;
const shares = [
  { label: 'Strongly agree', share: 0.19, color: 'var(--brand)' },
  { label: 'Agree', share: 0.37, color: 'color-mix(in srgb, var(--brand) 60%, var(--surface))' },
  { label: 'Neutral', share: 0.21, color: 'var(--line)' },
  { label: 'Disagree', share: 0.23, color: 'var(--accent-mark)' },
];

/** A fixed scatter in [0, 1): the picture is the same at every visit. */
const scatter = (index: number) => ((index * 7919 + 104729) % 1009) / 1009;

const colorAt = (index: number) => {
  let left = scatter(index);
  return shares.find(({ share }) => (left -= share) < 0)?.color ?? 'var(--line)';
};

/** The hero's picture: many small people, coloured by what they answered, and the counts beneath. */
export function TwinField() {
  return (
    <figure className="twin-field card">
      <p className="twin-field-question">“I would share my energy data with a public research project.”</p>
      <svg viewBox={`0 0 ${columns * 12} ${rows * 12}`} aria-hidden="true">
        {Array.from({ length: columns * rows }, (_, index) => (
          <circle
            key={index}
            cx={(index % columns) * 12 + 6}
            cy={Math.floor(index / columns) * 12 + 6}
            r="4.3"
            fill={colorAt(index)}
          />
        ))}
      </svg>
      <dl>
        {shares.map(({ label, share, color }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <span className="twin-field-bar" style={{ width: `${share * 200}%`, background: color }} />
              {Math.round(share * 100)} %
            </dd>
          </div>
        ))}
      </dl>
      <figcaption>Illustration, not a result</figcaption>
    </figure>
  );
}
