import { useState } from 'react';
import { Alert, Button, Form, InputNumber, Segmented, Select } from 'antd';
import { failed } from '@/api/client';
import type { SurveyWalk } from '@/api/design';
import { useGet } from '@/api/hooks';
import { rowsInOrder } from '@/question-types/answerRows';
import { AskedQuestion } from '@/question-types/AskedQuestion';
import { BLANK_DRAFT } from '@/question-types/draft';
import { Loading, Panel } from '@/ui/Page';
import { useFlow } from './context';
import { isRandom, walk } from './nodes';

type View = 'respondent' | 'prompt';

/** One twin's way through the survey as it is saved, with invented answers: as a person would see it, or as the model does. */
export function Preview({ surveyId, version }: { surveyId: number; version: string | undefined }) {
  const { design, questions } = useFlow();
  const [view, setView] = useState<View>('respondent');
  const [twin, setTwin] = useState<number | null>(null);
  const [seed, setSeed] = useState(1);
  const [open, setOpen] = useState(false);
  /** The arm that the twin is put into, by random node; elsewhere its arm is dealt. */
  const [chosen, setChosen] = useState<Record<string, string>>({});
  const randoms = [...walk(design.flow)].flatMap(({ node }) =>
    isRandom(node) && node.take === 1 ? [{ name: node.random, arms: node.of.map(({ arm }) => arm) }] : [],
  );
  const arms = Object.fromEntries(
    randoms.flatMap(({ name, arms: all }) => {
      const arm = chosen[name];
      return arm !== undefined && all.includes(arm) ? [[name, arm]] : [];
    }),
  );
  const query = {
    seed,
    ...(twin !== null && { personaId: twin }),
    ...(Object.keys(arms).length > 0 && { arms: JSON.stringify(arms) }),
  };
  const { data, error, mutate } = useGet(
    open && questions.length > 0 ? '/api/surveys/{surveyId}/preview' : null,
    { params: { path: { surveyId }, query } },
    { keepPreviousData: true, revalidateOnFocus: false, shouldRetryOnError: false },
  );
  // Of the survey as it was saved last.
  const [of, setOf] = useState(version);
  if (of !== version) {
    setOf(version);
    // What could not be walked may be walked now.
    if (data !== undefined || error !== undefined) void mutate();
  }
  return (
    <Panel
      title="Preview"
      extra={
        <Button size="small" aria-expanded={open} onClick={() => setOpen(!open)}>
          {open ? 'Close' : 'Open'}
        </Button>
      }
    >
      {!open && <p className="muted">One twin’s way through the saved survey, with invented answers.</p>}
      {open && (
        <div className="flow-preview stack gap-4">
          <Form layout="vertical" className="flow-settings stack gap-3 flush">
            <Form.Item label="Twin" htmlFor="preview-twin">
              <InputNumber
                id="preview-twin"
                size="small"
                min={1}
                precision={0}
                placeholder="any"
                value={twin ?? data?.personaId ?? null}
                onChange={setTwin}
              />
            </Form.Item>
            <Form.Item label="Seed" htmlFor="preview-seed">
              <InputNumber
                id="preview-seed"
                size="small"
                min={0}
                precision={0}
                value={seed}
                onChange={(next) => setSeed(next ?? 1)}
              />
            </Form.Item>
            {randoms.map(({ name, arms: all }) => (
              <Form.Item key={name} label={name} htmlFor={`preview-arm-${name}`}>
                <Select<string>
                  id={`preview-arm-${name}`}
                  size="small"
                  popupMatchSelectWidth={false}
                  value={arms[name] ?? ''}
                  options={[
                    { value: '', label: 'as dealt' },
                    ...all.map((arm) => ({ value: arm, label: arm })),
                  ]}
                  onChange={(arm) => setChosen({ ...chosen, [name]: arm })}
                />
              </Form.Item>
            ))}
            <Button size="small" onClick={() => setSeed(seed + 1)}>
              Deal again
            </Button>
          </Form>
          <Segmented<View>
            size="small"
            block
            aria-label="Show"
            value={view}
            options={[
              { value: 'respondent', label: 'As respondent' },
              { value: 'prompt', label: 'As prompt' },
            ]}
            onChange={setView}
          />
          {error !== undefined && <Alert type="error" title={failed('Failed to preview', error)} />}
          {data === undefined && error === undefined && <Loading />}
          {data !== undefined && error === undefined && (
            <>
              <Dealt walk={data} />
              {view === 'respondent' ? <Shown walk={data} /> : <Prompts walk={data} />}
            </>
          )}
        </div>
      )}
    </Panel>
  );
}

function Dealt({ walk: { arms, fields } }: { walk: SurveyWalk }) {
  const facts = [...Object.entries(arms), ...Object.entries(fields)];
  if (facts.length === 0) return null;
  return (
    <dl className="flow-dealt" aria-label="Dealt">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}

function Shown({ walk: { asked, skipped } }: { walk: SurveyWalk }) {
  const { byName } = useFlow();
  return (
    <>
      <ol className="numbered" aria-label="Questions shown">
        {asked.map((shown) => {
          // Of a loop's turn: `Q7#2`.
          const question = byName.get(shown.name) ?? byName.get(shown.name.replace(/#\d+$/, ''));
          return (
            <li key={shown.name}>
              <AskedQuestion
                draft={{
                  ...BLANK_DRAFT,
                  type: shown.type,
                  text: shown.text,
                  required: false,
                  options: shown.options,
                  scaleLabels: shown.options,
                  subQuestions: shown.rows,
                  min: question?.minValue ?? null,
                  max: question?.maxValue ?? null,
                  minDescription: shown.minDescription ?? '',
                  maxDescription: shown.maxDescription ?? '',
                }}
              />
              <p className="flow-answer muted small long-word">
                <code>{shown.name}</code> call {shown.call}
                {shown.answer != null && (
                  <>
                    , answers <strong>{answerText(shown.answer, [...shown.rows, ...shown.options])}</strong>
                  </>
                )}
              </p>
            </li>
          );
        })}
      </ol>
      {skipped.length > 0 && (
        <p className="muted">
          Not asked:{' '}
          {skipped
            .map(({ name, reason }) => `${name} (${reason === 'screened_out' ? 'screened out' : reason})`)
            .join(', ')}
        </p>
      )}
    </>
  );
}

function Prompts({ walk: { prompts } }: { walk: SurveyWalk }) {
  if (prompts.length === 0) return <p className="muted">Nothing is asked.</p>;
  return prompts.map(({ call, system, user }) => (
    <section key={call} className="flow-prompt" aria-label={`Call ${call}`}>
      <h3>Call {call}</h3>
      <pre className="raw-text" tabIndex={0} aria-label={`System, call ${call}`}>
        {system}
      </pre>
      <pre className="raw-text" tabIndex={0} aria-label={`User, call ${call}`}>
        {user}
      </pre>
    </section>
  ));
}

/** An answer in words; of rows or options in the order of `texts`, in which they are shown. */
function answerText(answer: unknown, texts: readonly string[]): string {
  if (typeof answer === 'boolean') return answer ? 'Yes' : 'No';
  if (Array.isArray(answer)) return answer.map(String).join(', ');
  if (typeof answer !== 'object' || answer === null) return String(answer);
  return rowsInOrder(answer, texts)
    .map(([name, value]) => `${name}: ${answerText(value, texts)}`)
    .join('; ');
}
