import { useState, type ReactNode } from 'react';
import { Alert } from 'antd';
import { api, failed } from '@/api/client';
import { readOnce, useGet } from '@/api/hooks';
import type { components } from '@/api/schema';
import { Calibration } from '@/charts/evidence/Calibration';
import { Comparison } from '@/features/people/Comparison';
import { HumanComparison } from '@/features/people/HumanComparison';
import { KeptMatching } from '@/features/people/KeptMatching';
import type { HumanSample } from '@/features/people/SampleChoice';
import { Suppressed } from '@/features/people/Suppressed';
import { RunChoice } from '@/features/studies/RunChoice';
import type { Study } from '@/runs/start/cells';
import { count } from '@/ui/format';
import { Loading } from '@/ui/Page';

type Compared = components['schemas']['StudyBesidePeople'];

/** A study's twins beside people: its repeats as forecasts, and twins that stood in every arm. */
export default function StudyPeople({ study: { studyId, surveyId, runs } }: { study: Study }) {
  const [reference, setReference] = useState(runs[0]?.simulationId ?? '');
  return (
    <section className="people" aria-label="Twins beside people">
      <p className="muted">
        Compare the repeats of a run with people who answered the same survey: how often did their forecasts
        come true? The file has a row per person and a column <code>pid</code>. Where every twin was in every
        arm, name the column of the arm: each twin is then compared with itself. A file that is kept is
        compared with every run of the survey.
      </p>
      <RunChoice
        id="study-people-run"
        label="Run, with its repeats"
        value={reference}
        runs={runs}
        onChange={setReference}
      />
      <HumanComparison
        surveyId={surveyId ?? null}
        // What was counted of another run goes.
        key={reference}
        compare={(query, body) =>
          api.post('/api/studies/{studyId}/people', {
            params: { path: { studyId }, query: { ...query, reference } },
            // The schema has no type for a form of files.
            body: body as never,
          })
        }
        readingOf={(found: Compared) => found.comparison}
        kept={(sample) => (
          <SampleComparison key={sample.sampleId} studyId={studyId} reference={reference} sample={sample} />
        )}
      >
        {(found, matching) => <Found of={found} matching={matching} />}
      </HumanComparison>
    </section>
  );
}

/** The comparison with people whose answers are kept. */
function SampleComparison({
  studyId,
  reference,
  sample: { sampleId },
}: {
  studyId: string;
  reference: string;
  sample: HumanSample;
}) {
  const { data, error } = useGet(
    '/api/studies/{studyId}/people',
    { params: { path: { studyId }, query: { reference, sample: sampleId } } },
    readOnce,
  );
  if (error !== undefined) return <Alert type="error" title={failed('Failed to compare', error)} />;
  if (data === undefined) return <Loading text="Comparing..." />;
  return (
    <>
      {data.suppressed && <Suppressed />}
      <Found of={data} matching={<KeptMatching sample={data.sample} of={data.comparison} />} />
    </>
  );
}

function Found({
  of: { comparison, calibration, simulationIds },
  matching,
}: {
  of: Compared;
  matching: ReactNode;
}) {
  return (
    <>
      {calibration == null ? (
        <p className="muted">
          There is nothing to say of forecasts: they take a run with repeats, questions of options, and people
          whose twin answered in every repeat.
        </p>
      ) : (
        <Calibration of={calibration} />
      )}
      {simulationIds.length > 1 && <p>The twins stood in {count(simulationIds.length)} arms each.</p>}
      <Comparison of={comparison} matching={matching} />
    </>
  );
}
