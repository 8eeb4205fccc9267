import { useState, type ReactNode } from 'react';
import { Alert, Button, Collapse, Form, Input, Upload } from 'antd';
import { failed } from '@/api/client';
import { marginsOf } from './margins';
import { Matching } from './Matching';
import { fieldsOf, NO_CHOICES, type Choices } from './matching';
import type { Compared } from './People';
import './people.css';

const NONE = { arm: '', weight: '', by: '', cells: '', twinWeight: '', probability: '', regress: '' };

/** A file of people's answers, what its columns are, and what came of it. */
export function BesidePeople<Found>({
  compare,
  fileOf,
  children,
}: {
  compare: (query: Record<string, string>, body: FormData) => Promise<Found>;
  /** How the file was read. */
  fileOf: (found: Found) => Compared['file'];
  children: (found: Found, matching: ReactNode) => ReactNode;
}) {
  const [columns, setColumns] = useState(NONE);
  const [margins, setMargins] = useState('');
  const [file, setFile] = useState<File | null>(null);
  const [found, setFound] = useState<Found | null>(null);
  const [choices, setChoices] = useState(NO_CHOICES);
  // A refused choice leaves the comparison before it, in which it can be changed.
  const [error, setError] = useState<{ text: string; isOfChoices: boolean } | null>(null);
  const [busy, setBusy] = useState(false);

  const send = async (chosen: Choices, isOfChoices: boolean) => {
    if (file === null) return;
    const shares = marginsOf(margins);
    if (typeof shares === 'string') {
      setError({
        text: `Shares of the population: “${shares}” is no line like “Gender: Female = 52 %; Male = 48 %”`,
        isOfChoices,
      });
      return;
    }
    setChoices(chosen);
    setBusy(true);
    setError(null);
    const body = new FormData();
    body.append('file', file);
    for (const [name, json] of fieldsOf(chosen)) body.append(name, json);
    if (Object.keys(shares).length > 0) body.append('margins', JSON.stringify(shares));
    const named = Object.entries(columns).filter(([, column]) => column.trim() !== '');
    try {
      setFound(await compare(Object.fromEntries(named.map(([name, column]) => [name, column.trim()])), body));
    } catch (failure) {
      if (!isOfChoices) setFound(null);
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
    <>
      <Form layout="vertical" className="people-form" onFinish={() => void send(choices, false)}>
        <Form.Item label="People’s answers">
          <Upload
            accept=".csv,text/csv,.sav,.dta"
            aria-label="People’s answers"
            hasControlInside
            showUploadList={false}
            beforeUpload={(picked) => {
              setFile(picked);
              setFound(null);
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
        {field('by', 'Column of groups', 'gender')}
        {field('cells', 'Pair without ids by', 'Gender,Age')}
        <Collapse
          className="people-wide"
          size="small"
          items={[
            {
              key: 'more',
              label: 'Weights of twins, shares of the population, regressions, people who were drawn',
              children: (
                <div className="people-form">
                  {field('twinWeight', 'Twins’ attribute of weights', 'Weight')}
                  {field('regress', 'Regress on attributes', 'Gender,Age')}
                  {field('probability', 'Column of drawing probabilities', 'probability')}
                  <Form.Item
                    label="Shares of the population"
                    htmlFor="people-margins"
                    extra="In place of weights: an attribute a line"
                    className="people-margins"
                  >
                    <Input.TextArea
                      id="people-margins"
                      placeholder="Gender: Female = 52 %; Male = 48 %"
                      rows={2}
                      value={margins}
                      onChange={(event) => setMargins(event.target.value)}
                    />
                  </Form.Item>
                </div>
              ),
            },
          ]}
        />
        <div className="people-wide">
          <Button type="primary" htmlType="submit" disabled={file === null} loading={busy}>
            Compare
          </Button>
        </div>
      </Form>
      {error?.isOfChoices === false && <Alert type="error" title={error.text} />}
      {found !== null &&
        children(
          found,
          <Matching
            file={fileOf(found)}
            choices={choices}
            onChoose={setChoices}
            onCompare={(chosen) => void send(chosen, true)}
            busy={busy}
            error={error?.isOfChoices === true ? error.text : null}
          />,
        )}
    </>
  );
}
