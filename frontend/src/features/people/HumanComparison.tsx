import { useState, type ReactNode } from 'react';
import { Alert, Collapse } from 'antd';
import { api, failed } from '@/api/client';
import { readOnce, refresh, useAll, useGet } from '@/api/hooks';
import { useSession } from '@/api/session';
import type { Compared } from '@/api/types';
import { Matching } from './Matching';
import { fieldsOf, NO_CHOICES, type Choices } from './matching';
import { PeopleFile, type SentFile } from './PeopleFile';
import { SampleChoice, type HumanSample } from './SampleChoice';
import './people.css';

const SAMPLES = '/api/surveys/{surveyId}/human-samples';

/** People's answers that are kept for the survey, the newest first, or another file, and what came of them. */
export function HumanComparison<Found>({
  surveyId,
  compare,
  readingOf,
  kept,
  children,
}: {
  /** Null: it is not known, and nothing is kept. */
  surveyId: number | null;
  compare: (query: Record<string, string>, body: FormData) => Promise<Found>;
  /** How the file was read, and its questions are scored. */
  readingOf: (found: Found) => Pick<Compared, 'file' | 'scoring'>;
  /** The comparison with answers that are kept. */
  kept: (sample: HumanSample) => ReactNode;
  children: (found: Found, matching: ReactNode) => ReactNode;
}) {
  const user = useSession();
  const survey = useGet(
    surveyId === null ? null : '/api/surveys/{surveyId}',
    { params: { path: { surveyId: surveyId ?? 0 } } },
    readOnce,
  );
  const samples = useAll(
    surveyId === null ? null : SAMPLES,
    { params: { path: { surveyId: surveyId ?? 0 } } },
    { revalidateOnFocus: false },
  );
  const canKeep =
    user !== null &&
    (survey.data?.userId === user.id || (survey.data !== undefined && user.role === 'super_admin'));
  const [chosen, setChosen] = useState<string | null>(null);
  const [sent, setSent] = useState<SentFile | null>(null);
  const [found, setFound] = useState<Found | null>(null);
  const [choices, setChoices] = useState(NO_CHOICES);
  // A refused choice leaves the comparison before it, in which it can be changed.
  const [error, setError] = useState<{ text: string; isOfChoices: boolean } | null>(null);
  const [busy, setBusy] = useState(false);

  const send = async (of: SentFile, said: Choices, isOfChoices: boolean) => {
    setChoices(said);
    setSent(of);
    setBusy(true);
    setError(null);
    const body = new FormData();
    body.append('file', of.file);
    for (const [name, json] of fieldsOf(said)) body.append(name, json);
    for (const [name, shares] of Object.entries(of.shares))
      if (Object.keys(shares).length > 0) body.append(name, JSON.stringify(shares));
    try {
      if (of.isKept && surveyId !== null) {
        body.append('name', of.file.name.slice(0, 120));
        const { sampleId } = await api.post(SAMPLES, {
          params: { path: { surveyId }, query: of.query },
          // The schema has no type for a form of files.
          body: body as never,
        });
        await refresh(SAMPLES);
        setChosen(sampleId);
        setFound(null);
      } else {
        setFound(await compare(of.query, body));
      }
    } catch (failure) {
      if (!isOfChoices) setFound(null);
      setError({ text: failed('Failed to compare', failure), isOfChoices });
    }
    setBusy(false);
  };
  const all = samples.data ?? [];
  const sample = all.find(({ sampleId }) => sampleId === chosen) ?? all[0];
  const upload = (
    <PeopleFile
      canKeep={canKeep}
      busy={busy}
      error={error?.isOfChoices === false ? error.text : null}
      onChoose={() => {
        setFound(null);
        setChoices(NO_CHOICES);
        setError(null);
      }}
      onSend={(of) => void send(of, choices, false)}
    />
  );
  return (
    <>
      {samples.error !== undefined && (
        <Alert type="error" title={failed('Failed to load the samples of people', samples.error)} />
      )}
      {sample !== undefined && (
        <SampleChoice
          samples={all}
          value={found === null ? sample.sampleId : null}
          onChange={(sampleId) => {
            setChosen(sampleId);
            setFound(null);
          }}
        />
      )}
      {sample === undefined ? (
        upload
      ) : (
        <Collapse
          size="small"
          items={[{ key: 'file', label: 'Compare with another file', children: upload }]}
        />
      )}
      {found === null && sample !== undefined && kept(sample)}
      {found !== null &&
        sent !== null &&
        children(
          found,
          <Matching
            {...readingOf(found)}
            choices={choices}
            onChoose={setChoices}
            onCompare={(said) => void send(sent, said, true)}
            busy={busy}
            error={error?.isOfChoices === true ? error.text : null}
          />,
        )}
    </>
  );
}
