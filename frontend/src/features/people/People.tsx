import { Alert } from 'antd';
import { Link } from 'react-router';
import { api, failed } from '@/api/client';
import { readOnce, useGet } from '@/api/hooks';
import type { Compared, Simulation } from '@/api/types';
import { paths } from '@/paths';
import { Loading } from '@/ui/Page';
import { HumanComparison } from './HumanComparison';
import { Comparison } from './Comparison';
import { KeptMatching } from './KeptMatching';
import { OwnAnswers } from './OwnAnswers';
import type { HumanSample } from './SampleChoice';
import { Suppressed } from './Suppressed';

type Run = Pick<Simulation, 'surveyId' | 'simulationId'>;

/** The run's twins beside people who answered the same survey. */
export default function People({ run }: { run: Run }) {
  const { surveyId, simulationId } = run;
  return (
    <section className="people" aria-label="Twins beside people">
      <p className="muted">
        Compare the answers with those of people who answered the same survey. The file has a row per person:
        CSV from Qualtrics or with one row of names, SPSS (<code>.sav</code>) or Stata (<code>.dta</code>).
        With a column <code>pid</code>, each twin is compared with its own person. Identifying columns are
        ignored. A file that is kept is compared with every run of the survey. Without people of your own, a{' '}
        <Link to={paths.validation}>validation</Link> compares the twins with their own people.
      </p>
      <OwnAnswers run={run} />
      <HumanComparison
        surveyId={surveyId}
        compare={(query, body) =>
          api.post('/api/surveys/{surveyId}/simulation/{simulationId}/people', {
            params: { path: { surveyId, simulationId }, query },
            // The schema has no type for a form of files.
            body: body as never,
          })
        }
        readingOf={(found: Compared) => found}
        kept={(sample) => <SampleComparison key={sample.sampleId} run={run} sample={sample} />}
      >
        {(found, matching) => <Comparison of={found} matching={matching} />}
      </HumanComparison>
    </section>
  );
}

/** The comparison with people whose answers are kept. */
function SampleComparison({ run, sample: { sampleId } }: { run: Run; sample: HumanSample }) {
  const { surveyId, simulationId } = run;
  const { data, error } = useGet(
    '/api/surveys/{surveyId}/simulation/{simulationId}/people',
    { params: { path: { surveyId, simulationId }, query: { sample: sampleId } } },
    readOnce,
  );
  if (error !== undefined) return <Alert type="error" title={failed('Failed to compare', error)} />;
  if (data === undefined) return <Loading text="Comparing..." />;
  const { sample, suppressed, comparison } = data;
  return (
    <>
      {suppressed && <Suppressed />}
      <Comparison of={comparison} matching={<KeptMatching sample={sample} of={comparison} />} />
    </>
  );
}
