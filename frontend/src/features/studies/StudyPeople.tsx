import { useState } from 'react';
import { api } from '@/api/client';
import type { components } from '@/api/schema';
import { count } from '@/ui/format';
import { Calibration } from '../results/evidence/Calibration';
import { BesidePeople } from '../results/people/BesidePeople';
import { Comparison } from '../results/people/Comparison';
import type { Study } from './cells';
import { RunChoice } from './RunChoice';

type Beside = components['schemas']['StudyBesidePeople'];

/** A study's twins beside people: its repeats as forecasts, and twins that stood in every arm. */
export default function StudyPeople({ study: { studyId, runs } }: { study: Study }) {
  const [reference, setReference] = useState(runs[0]?.simulationId ?? '');
  return (
    <section className="people" aria-label="Twins beside people">
      <p className="muted">
        A file of people who answered the same survey, a row a person with a column <code>pid</code>, says how
        often what the repeats of a run forecast came true. Where every twin stood in every arm, name the
        column of the arm: each twin is then compared with itself. The file is read, compared and forgotten.
      </p>
      <RunChoice
        id="study-people-run"
        label="Run, with its repeats"
        value={reference}
        runs={runs}
        onChange={setReference}
      />
      <BesidePeople
        // What was counted of another run goes.
        key={reference}
        compare={(query, body) =>
          api.post('/api/studies/{studyId}/people', {
            params: { path: { studyId }, query: { ...query, reference } },
            // The schema has no type for a form of files.
            body: body as never,
          })
        }
        fileOf={(found: Beside) => found.comparison.file}
      >
        {({ comparison, calibration, simulationIds }, matching) => (
          <>
            {calibration == null ? (
              <p className="muted">
                There is nothing to say of forecasts: they take a run with repeats, questions of options, and
                people whose twin answered in every repeat.
              </p>
            ) : (
              <Calibration of={calibration} />
            )}
            {simulationIds.length > 1 && <p>The twins stood in {count(simulationIds.length)} arms each.</p>}
            <Comparison of={comparison} matching={matching} />
          </>
        )}
      </BesidePeople>
    </section>
  );
}
