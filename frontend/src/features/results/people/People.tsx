import { Link } from 'react-router';
import { api } from '@/api/client';
import type { components } from '@/api/schema';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { BesidePeople } from './BesidePeople';
import { Comparison } from './Comparison';
import { OwnAnswers } from './OwnAnswers';

export type Compared = components['schemas']['PeopleComparison'];

/** The run's twins beside people who answered the same survey. */
export default function People({ run }: { run: Pick<Simulation, 'surveyId' | 'simulationId'> }) {
  const { surveyId, simulationId } = run;
  return (
    <section className="people" aria-label="Twins beside people">
      <p className="muted">
        How far do these answers carry? Set them beside people who answered the same survey: a file with a row
        a person, as CSV from Qualtrics or with one row of names, from SPSS (<code>.sav</code>) or from Stata
        (<code>.dta</code>). With a column <code>pid</code>, each twin is compared with its own person. The
        file is read, compared and forgotten; columns that tell who somebody is are not looked at. Without
        people of your own, a <Link to={paths.validation}>validation</Link> sets the twins beside theirs.
      </p>
      <OwnAnswers run={run} />
      <BesidePeople
        compare={(query, body) =>
          api.post('/api/surveys/{surveyId}/simulation/{simulationId}/people', {
            params: { path: { surveyId, simulationId }, query },
            // The schema has no type for a form of files.
            body: body as never,
          })
        }
        fileOf={(found: Compared) => found.file}
      >
        {(found, matching) => <Comparison of={found} matching={matching} />}
      </BesidePeople>
    </section>
  );
}
