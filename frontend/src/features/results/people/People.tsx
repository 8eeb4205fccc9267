import { useState } from 'react';
import { Alert, Button, Form, Input, Upload } from 'antd';
import { Link } from 'react-router';
import { api, failed } from '@/api/client';
import type { components } from '@/api/schema';
import type { Simulation } from '@/api/types';
import { paths } from '@/paths';
import { Comparison } from './Comparison';
import { Matching } from './Matching';
import { fieldsOf, NO_CHOICES, type Choices } from './matching';
import './people.css';

export type Compared = components['schemas']['PeopleComparison'];

/** The run's twins beside people who answered the same survey. */
export default function People({ run }: { run: Pick<Simulation, 'surveyId' | 'simulationId'> }) {
  const [columns, setColumns] = useState({ arm: '', weight: '', by: '', cells: '' });
  const [file, setFile] = useState<File | null>(null);
  const [compared, setCompared] = useState<Compared | null>(null);
  const [choices, setChoices] = useState(NO_CHOICES);
  // A refused choice leaves the comparison before it, in which it can be changed.
  const [error, setError] = useState<{ text: string; isOfChoices: boolean } | null>(null);
  const [busy, setBusy] = useState(false);

  const compare = async (chosen: Choices, isOfChoices: boolean) => {
    if (file === null) return;
    setChoices(chosen);
    setBusy(true);
    setError(null);
    const body = new FormData();
    body.append('file', file);
    for (const [name, json] of fieldsOf(chosen)) body.append(name, json);
    const named = Object.entries(columns).filter(([, column]) => column.trim() !== '');
    try {
      const { surveyId, simulationId } = run;
      const found = await api.post('/api/surveys/{surveyId}/simulation/{simulationId}/people', {
        params: {
          path: { surveyId, simulationId },
          query: Object.fromEntries(named.map(([name, column]) => [name, column.trim()])),
        },
        // The schema has no type for a form of files.
        body: body as never,
      });
      setCompared(found);
    } catch (failure) {
      if (!isOfChoices) setCompared(null);
      setError({ text: failed('Failed to compare', failure), isOfChoices });
    }
    setBusy(false);
  };
  const field = (name: keyof typeof columns, label: string, example: string) => (
    <Form.Item label={label} htmlFor={`people-${name}`}>
      <Input
        id={`people-${name}`}
        placeholder={example}
        value={columns[name]}
        onChange={(event) => setColumns({ ...columns, [name]: event.target.value })}
      />
    </Form.Item>
  );
  return (
    <section className="people" aria-label="Twins beside people">
      <p className="muted">
        How far do these answers carry? Set them beside people who answered the same survey: a file with a row
        a person, as CSV from Qualtrics or with one row of names, from SPSS (<code>.sav</code>) or from Stata
        (<code>.dta</code>). With a column <code>pid</code>, each twin is compared with its own person. The
        file is read, compared and forgotten; columns that tell who somebody is are not looked at. Without
        people of your own, a <Link to={paths.validation}>validation</Link> sets the twins beside theirs.
      </p>
      <Form layout="vertical" className="people-form" onFinish={() => void compare(choices, false)}>
        <Form.Item label="People’s answers">
          <Upload
            accept=".csv,text/csv,.sav,.dta"
            aria-label="People’s answers"
            hasControlInside
            showUploadList={false}
            beforeUpload={(picked) => {
              setFile(picked);
              setCompared(null);
              setChoices(NO_CHOICES);
              setError(null);
              return false;
            }}
          >
            <Button>{file === null ? 'Choose a CSV, SPSS or Stata file' : file.name}</Button>
          </Upload>
        </Form.Item>
        {field('arm', 'Column of the arm', 'fee_arm')}
        {field('weight', 'Column of weights', 'weight')}
        {field('by', 'Compare groups by', 'Gender')}
        {field('cells', 'Pair without ids by', 'Gender,Age')}
        <Form.Item label=" " colon={false}>
          <Button type="primary" htmlType="submit" disabled={file === null} loading={busy}>
            Compare
          </Button>
        </Form.Item>
      </Form>
      {error?.isOfChoices === false && <Alert type="error" title={error.text} />}
      {compared !== null && (
        <Comparison
          of={compared}
          matching={
            <Matching
              file={compared.file}
              choices={choices}
              onChoose={setChoices}
              onCompare={(chosen) => void compare(chosen, true)}
              busy={busy}
              error={error?.isOfChoices === true ? error.text : null}
            />
          }
        />
      )}
    </section>
  );
}
