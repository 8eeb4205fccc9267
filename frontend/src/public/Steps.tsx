import './Steps.css';

/** A way in numbered steps, on a band of its own. */
export function Steps({
  title,
  steps,
  width = 'wide',
}: {
  title: string;
  steps: readonly { title: string; text: string }[];
  /** Width: that of the page, or of a text. */
  width?: 'wide' | 'measure';
}) {
  return (
    <section className="band" aria-labelledby="how">
      <div className={width}>
        <h2 id="how">{title}</h2>
        <ol className="steps stack gap-6 list">
          {steps.map((step, index) => (
            <li key={step.title}>
              <span className="step-number" aria-hidden="true">
                {index + 1}
              </span>
              <h3>{step.title}</h3>
              <p>{step.text}</p>
            </li>
          ))}
        </ol>
      </div>
    </section>
  );
}
