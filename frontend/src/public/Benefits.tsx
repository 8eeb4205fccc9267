import { useEffect, useState } from 'react';

const ADVANCE_MS = 5000;

const slides = [
  {
    title: 'Answers in minutes',
    text: 'A survey that takes weeks in the field comes back from hundreds of digital twins while you fetch a coffee. Try a wording, look, and try the next one.',
  },
  {
    title: 'Grounded in real people',
    text: 'Every twin rests on one real participant’s profile: demographics, personality, attitudes, behaviour. The data set is published and free to inspect (CC BY 4.0).',
  },
  {
    title: 'Pretest before you pay',
    text: 'Find the ambiguous item, the missing option and the scale nobody uses before a single respondent has been recruited.',
  },
  {
    title: 'Every response is yours',
    text: 'Download complete data, one row per twin and question, as CSV or a workbook for Excel, R or Python, with the facts needed to run it again.',
  },
  {
    title: 'Made for the classroom',
    text: 'Give each student a budget of credits and let a whole class go from hypothesis to data to analysis within one lesson.',
  },
  {
    title: 'Open about its limits',
    text: 'Twins are models, not people. Results name the model, the parameters and the failures, so that you can judge what they are worth.',
  },
];

/** Six slides that take turns; they wait while someone points at them, is inside, or wants nothing to move. */
export function Benefits() {
  const [current, setCurrent] = useState(0);
  const [held, setHeld] = useState(false);
  const [stopped, setStopped] = useState(() => matchMedia('(prefers-reduced-motion: reduce)').matches);
  const waiting = held || stopped;

  useEffect(() => {
    if (waiting) return undefined;
    const timer = setInterval(() => setCurrent((index) => (index + 1) % slides.length), ADVANCE_MS);
    return () => clearInterval(timer);
  }, [waiting, current]);

  return (
    <section
      className="benefits wide"
      aria-roledescription="carousel"
      aria-label="Benefits"
      onPointerEnter={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocus={() => setHeld(true)}
      onBlur={() => setHeld(false)}
    >
      <div className="stack" aria-live={waiting ? 'polite' : 'off'}>
        {slides.map(({ title, text }, index) => (
          <div
            key={title}
            role="group"
            aria-roledescription="slide"
            aria-label={`${index + 1} of ${slides.length}`}
            aria-hidden={index !== current}
            className={index === current ? 'benefit benefit-current' : 'benefit'}
          >
            <h2>{title}</h2>
            <p>{text}</p>
          </div>
        ))}
      </div>
      <div className="benefit-controls line gap-1">
        {slides.map(({ title }, index) => (
          <button
            key={title}
            type="button"
            className="dot"
            aria-label={`Slide ${index + 1}: ${title}`}
            aria-current={index === current}
            onClick={() => setCurrent(index)}
          />
        ))}
        <button type="button" className="benefit-pause" onClick={() => setStopped(!stopped)}>
          {stopped ? 'Play' : 'Pause'}
        </button>
      </div>
    </section>
  );
}
