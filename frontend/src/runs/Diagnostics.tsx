import { Alert, Collapse } from 'antd';
import type { Answer } from '@/api/client';
import { useGet } from '@/api/hooks';
import type { Simulation } from '@/api/types';
import { DataTable, type Column } from '@/ui/DataTable';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';
import { percent } from '@/ui/numbers';

type Diagnosed = Answer<'/api/surveys/{surveyId}/simulation/{simulationId}/diagnostics', 'get'>;
type Diagnostic = Diagnosed['diagnostics'][number];
type Finding = Diagnostic['findings'][number];

const titles: Record<string, string> = {
  validity: 'Invalid answers',
  refusals: 'Refusals of a group',
  empty_pipes: 'Holes in texts',
  modal_answer: 'One answer for all',
  duplicate_texts: 'Repeated texts',
  same_words: 'The same words',
  straight_lining: 'Straight lines',
  mixed_keys: 'Agreement with items and their reverses',
  acquiescence: 'Agreement with everything',
  desirability: 'What looks good',
  option_position: 'Place of the options',
  question_order: 'Order of the questions',
  attention: 'Attention checks',
  drift: 'Versions of the model',
  instability: 'Instability',
  spread: 'Too little spread',
  subgroup_error: 'Worse for some',
  stereotyping: 'Stereotypes',
  hyper_rationality: 'Too rational',
  contamination: 'Contamination',
};

const shares = [
  'validity',
  'modal_answer',
  'duplicate_texts',
  'same_words',
  'straight_lining',
  'mixed_keys',
  'attention',
  'refusals',
  'hyper_rationality',
];

const counts = ['drift', 'empty_pipes'];

const titleOf = ({ diagnostic }: Diagnostic) => titles[diagnostic] ?? diagnostic;

const shown = ({ diagnostic }: Diagnostic, value: number) => {
  if (shares.includes(diagnostic)) return percent(value, 1);
  return counts.includes(diagnostic) ? count(value) : value.toFixed(2);
};

/** Findings of a warning that are shown; the rest is counted. */
const MOST = 8;

/** The findings that warn, one on each line. */
function Warned({ of }: { of: Diagnostic }) {
  const warned = of.findings.filter(({ warns }) => warns);
  return (
    <ul>
      {warned.slice(0, MOST).map((finding) => (
        <li key={finding.of}>
          {finding.of === '' ? 'The whole run' : finding.of}: <strong>{shown(of, finding.value)}</strong>,
          threshold {shown(of, finding.threshold)}, n {count(finding.n)}
          {finding.note != null && `; ${finding.note}`}
        </li>
      ))}
      {warned.length > MOST && <li>and {count(warned.length - MOST)} more</li>}
    </ul>
  );
}

/** The diagnostics that are beyond their threshold, each with what to do about it. */
export function DiagnosticWarnings({ of }: { of: Diagnostic[] }) {
  return of.map((warning) => (
    <Alert
      key={warning.diagnostic}
      type="warning"
      showIcon
      title={titleOf(warning)}
      description={
        <>
          <p>
            Measured: {warning.measure}. {warning.advice}
          </p>
          <Warned of={warning} />
        </>
      }
    />
  ));
}

/** Diagnostics that warn below their threshold. */
const lower = ['validity', 'same_words', 'attention', 'instability', 'spread'];

/** The one nearest to its threshold, or beyond it most. */
function extreme({ diagnostic, findings }: Diagnostic): Finding | undefined {
  const beyond = ({ value, threshold }: Finding) => {
    if (lower.includes(diagnostic)) return -value;
    return threshold === 0 ? Math.abs(value) : Math.abs(value / threshold);
  };
  return [...findings].sort((one, other) => beyond(other) - beyond(one))[0];
}

const quietColumns: Column<Diagnostic>[] = [
  {
    title: 'Looked for',
    key: 'looked',
    untitled: true,
    render: (_, of) => (
      <div>
        {titleOf(of)}
        <div className="muted">{of.measure}</div>
      </div>
    ),
  },
  {
    title: 'Most extreme',
    key: 'extreme',
    align: 'right',
    render: (_, of) => {
      const finding = extreme(of);
      if (finding === undefined) return '–';
      return (
        <div>
          {shown(of, finding.value)}
          <div className="muted diagnostic-of">{[finding.of, finding.note].filter(Boolean).join(': ')}</div>
        </div>
      );
    },
  },
  {
    title: 'Threshold',
    key: 'threshold',
    align: 'right',
    render: (_, of) => {
      const finding = extreme(of);
      return finding === undefined ? '–' : shown(of, finding.threshold);
    },
  },
];

const missingColumns: Column<Diagnostic>[] = [
  { title: 'Not measured', key: 'title', untitled: true, render: (_, of) => titleOf(of) },
  { title: 'Because', key: 'reason', render: (_, { reason }) => reason },
];

/** The diagnostics of a run that has ended: known faults of answers by language models. */
export function Diagnostics({ run }: { run: Simulation }) {
  const { data, error } = useGet(
    '/api/surveys/{surveyId}/simulation/{simulationId}/diagnostics',
    { params: { path: { surveyId: run.surveyId, simulationId: run.simulationId } } },
    { revalidateOnFocus: false },
  );
  if (error !== undefined) return <Alert type="warning" title="The diagnostics could not be read" />;
  if (data === undefined) return null;
  const of = (verdict: Diagnostic['verdict']) =>
    data.diagnostics.filter((diagnostic) => diagnostic.verdict === verdict);
  const [warnings, quiet, missing] = [of('warning'), of('ok'), of('not_applicable')];
  return (
    <section className="run-diagnostics" aria-labelledby="diagnostics">
      <h2 className="run-overview-title" id="diagnostics">
        Diagnostics
      </h2>
      <p className="muted">
        What is known to go wrong when language models answer surveys. A warning says that something should be
        looked at, not that it is wrong. <FigureHelp about="diagnostics">Formulas and thresholds</FigureHelp>
      </p>
      {warnings.length === 0 && <p>Nothing is beyond its threshold.</p>}
      <DiagnosticWarnings of={warnings} />
      <Collapse
        size="small"
        items={[
          {
            key: 'quiet',
            label: `${count(quiet.length)} ${quiet.length === 1 ? 'check within its threshold' : 'checks within their thresholds'}`,
            children: (
              <DataTable rows={quiet} rowKey="diagnostic" columns={quietColumns} name="diagnostics" />
            ),
          },
          {
            key: 'missing',
            label: `${count(missing.length)} ${missing.length === 1 ? 'check' : 'checks'} without data in this run`,
            children: (
              <DataTable rows={missing} rowKey="diagnostic" columns={missingColumns} name="diagnostics" />
            ),
          },
        ]}
      />
    </section>
  );
}
