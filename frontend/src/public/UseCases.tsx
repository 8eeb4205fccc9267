import { useRef, useState, type KeyboardEvent } from 'react';
import './UseCases.css';

const cases = [
  {
    name: 'Research',
    text: 'Explore an idea before you commit a grant to it. Twins show where an effect might hide and which items do the work, so that the study you field is the right one.',
    points: [
      'Test hypotheses on a large, varied sample within a day',
      'Pretest wording, order and scales before data collection',
      'Produce preliminary data for grant applications',
      'Estimate effect sizes for power analyses',
      'Compare two to four simulations question by question',
      'Replicate published surveys and vary one thing at a time',
    ],
  },
  {
    name: 'Education',
    text: 'Let students do the whole of survey research instead of reading about it: ask a question, collect data from hundreds of twins, and defend what they conclude.',
    points: [
      'Run a complete study inside a single course',
      'Give every student a budget, and see how it is used',
      'Teach questionnaire design with immediate feedback',
      'Practise analysis on fresh data in Excel, R or Python',
      'Discuss bias, validity and the limits of AI with real output',
      'Set up class groups and invite students by e-mail',
    ],
  },
  {
    name: 'Organizations',
    text: 'If you collect data for the public good, validate the questionnaire before it reaches the people whose time it takes.',
    points: [
      'Validate questionnaires before a costly field phase',
      'Spot confusing, leading or redundant items early',
      'Check that answer options cover what people would say',
      'See how different demographic groups may respond',
      'Shorten long instruments without losing the signal',
      'Document every pretest with downloadable data',
    ],
  },
  {
    name: 'Entrepreneurship',
    text: 'In a course or an incubator, put a concept in front of a simulated market first, and learn which questions deserve real customers.',
    points: [
      'Try a concept on hundreds of twins before building it',
      'Explore willingness to pay with sliders and choices',
      'Compare messages, names and positioning',
      'Find the segments that react most, and ask why',
      'Practise market research in entrepreneurship classes',
      'Turn open answers into better interview guides',
    ],
  },
];

/** Tabs after the ARIA pattern: arrows move between them, the tab key goes into what they show. */
export function UseCases() {
  const [chosen, setChosen] = useState(0);
  const list = useRef<HTMLDivElement>(null);

  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    const next = (chosen + step + cases.length) % cases.length;
    setChosen(next);
    list.current?.querySelectorAll('button')[next]?.focus();
  };
  return (
    <section className="wide use-cases" aria-labelledby="use-cases">
      <h2 id="use-cases">Use Cases</h2>
      <div ref={list} role="tablist" aria-label="Use cases" className="use-case-tabs" onKeyDown={onKeyDown}>
        {cases.map(({ name }, index) => (
          <button
            key={name}
            type="button"
            role="tab"
            id={`tab-${name}`}
            aria-selected={index === chosen}
            aria-controls={`use-case-${name}`}
            tabIndex={index === chosen ? 0 : -1}
            onClick={() => setChosen(index)}
          >
            {name}
          </button>
        ))}
      </div>
      {cases.map(({ name, text, points }, index) => (
        <div
          key={name}
          role="tabpanel"
          id={`use-case-${name}`}
          aria-labelledby={`tab-${name}`}
          hidden={index !== chosen}
        >
          <div className="use-case stack gap-6">
            <p className="lead">{text}</p>
            <ul className="stack gap-3 list">
              {points.map((point) => (
                <li key={point}>{point}</li>
              ))}
            </ul>
          </div>
        </div>
      ))}
    </section>
  );
}
