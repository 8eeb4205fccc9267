import type { ReactNode } from 'react';
import { Alert, Statistic } from 'antd';
import type { Compared } from '@/api/types';
import { Dots } from '@/charts/evidence/Dots';
import { EvidenceChart } from '@/charts/evidence/EvidenceChart';
import { intervalText, metricOf, type Figure, type Item } from '@/charts/evidence/figures';
import { DiagnosticWarnings } from '@/runs/Diagnostics';
import { DataTable, type Column } from '@/ui/DataTable';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';
import { fixed, signed } from '@/ui/numbers';
import { ArmEffects } from './ArmEffects';
import { Distributions } from './Distributions';
import { Experiments } from './Experiments';
import { FileReport } from './FileReport';
import { Formulas } from './Formulas';
import { questionColumns } from './questionColumns';
import { Rectified } from './Rectified';
import { Regressions } from './Regressions';

type Group = Compared['groups'][number];

/** The comparison of twins and people: over all questions, by question, by arm and by group, and how the file was read. */
export function Comparison({ of, matching }: { of: Compared; matching: ReactNode }) {
  const {
    people,
    twins,
    pairs,
    paired,
    draws,
    level,
    family,
    rule,
    questions,
    overall,
    arms,
    groups,
    formulas,
    rectified,
    weights,
    regressions,
    diagnostics,
    experiments,
    file,
  } = of;
  const warnings = diagnostics.filter(({ verdict }) => verdict === 'warning');
  if (questions.length === 0)
    return (
      <>
        <Alert type="warning" title="No column of the file fits a question of the survey" />
        <FileReport key="file" file={file} matching={matching} isOpen />
      </>
    );
  return (
    <>
      <p role="status">
        {count(people)} people, {count(twins)} twins
        {paired ? `, ${count(pairs)} of them pairs of a person and their own twin` : ''}.{' '}
        {paired
          ? ''
          : 'No twin has a person’s id: the two are compared as samples, without accuracy and correlation. '}
        {weights != null && <Weighted of={weights} />}
        Intervals cover {Math.round(level * 100)} % (bootstrap over people, {count(draws)} draws).{' '}
        {rule.byPlan && `${rule.words} `}
        {!rule.byPlan && family > 1 && `q allows for all ${count(family)} tests of the table. `}
        <FigureHelp about="intervals">How intervals are made</FigureHelp>
      </p>
      <div className="people-overall">
        <Overall title="Accuracy" figure={overall.accuracy} />
        <Overall title="Mean r" figure={overall.r} />
        <Overall title="r within person" figure={overall.rWithinPerson} />
        <Overall title="r of question means" figure={overall.rOfItemMeans} />
      </div>
      <DataTable
        rows={questions}
        rowKey="name"
        columns={questionColumns(paired, rule.byPlan)}
        name="questions"
        size={50}
      />
      {paired && <AccuracyChart questions={questions} />}
      <Formulas of={formulas} />
      <Distributions questions={questions} asked={file.questions} />
      <Rectified of={rectified} />
      {arms != null && arms.effects.length > 0 ? (
        <ArmEffects of={arms} />
      ) : (
        <Experiments of={experiments} unmatched={file.arms.unmatched} />
      )}
      <Regressions of={regressions} />
      {groups.length > 0 && (
        <>
          <h2>Accuracy by group</h2>
          <p className="muted">
            Groups of 30 pairs or more, with a paired bootstrap of the gap. <FigureHelp about="diagnostics" />
          </p>
          <DataTable rows={groups} rowKey="value" columns={groupColumns} name="groups" size={50} />
        </>
      )}
      {warnings.length > 0 && (
        <section className="people-diagnostics" aria-labelledby="people-diagnostics">
          <h2 id="people-diagnostics">Diagnostics</h2>
          <p className="muted">
            What these people tell of known pitfalls. A warning says that something should be looked at, not
            that it is wrong. <FigureHelp about="diagnostics">Formulas and thresholds</FigureHelp>
          </p>
          <DiagnosticWarnings of={warnings} />
        </section>
      )}
      {/* The key keeps it open where the comparison had no questions before. */}
      <FileReport key="file" file={file} matching={matching} isOpen={isUndecided(of)} />
    </>
  );
}

/** Whether somebody has to decide about a column of arms, one of its values or a scale. */
const isUndecided = ({ file: { arms }, scoring }: Compared) =>
  arms.unmatched.some((node) => node.arms.length > 0) ||
  arms.matched.some(({ values }) => values.some(({ arm }) => arm == null)) ||
  scoring.some(({ reason, isChosen }) => reason === 'codes_disagree' && !isChosen);

function Weighted({ of: { people, twins, trimmed } }: { of: NonNullable<Compared['weights']> }) {
  return (
    <>
      With their weights the people say as much as {people.toFixed(0)} who count the same
      {twins == null ? '' : `, and the twins as ${twins.toFixed(0)}`}.{' '}
      {trimmed != null && trimmed > 0 && `${count(trimmed)} weights were cut to 1/5 or 5 times the mean. `}
      <FigureHelp about="weights">How weights count</FigureHelp>{' '}
    </>
  );
}

function Overall({ title, figure }: { title: string; figure: Figure | null | undefined }) {
  if (figure == null) return null;
  return (
    <div>
      <Statistic title={title} value={fixed(figure.value)} />
      <span className="muted">{intervalText(figure)}</span>
    </div>
  );
}

/** The chart of accuracy: the questions that have one, the best first. */
function AccuracyChart({ questions }: { questions: readonly Item[] }) {
  const dots = questions
    .flatMap((item) => {
      const figure = metricOf(item, 'accuracy');
      if (figure === undefined) return [];
      const { value, low = null, high = null } = figure;
      return [{ name: item.name, value, low, high }];
    })
    .toSorted((one, other) => other.value - one.value);
  if (dots.length === 0) return null;
  return (
    <EvidenceChart
      title="Accuracy by question"
      heading="h2"
      meta="1: every twin answers as its person; 95 % CI"
      about="twins-beside-their-own-people"
      lines={[
        ['question', 'accuracy', 'low', 'high'],
        ...dots.map(({ name, value, low, high }) => [name, value, low, high]),
      ]}
    >
      {(width) => <Dots dots={dots} ends={[0, 1]} width={width} label="Accuracy by question" />}
    </EvidenceChart>
  );
}

const groupColumns: Column<Group>[] = [
  { title: 'Group', key: 'value', dataIndex: 'value', untitled: true },
  { title: 'Pairs', key: 'pairs', align: 'right', dataIndex: 'pairs' },
  {
    title: 'Accuracy',
    key: 'accuracy',
    align: 'right',
    render: (_, { accuracy }) => `${fixed(accuracy.value)} ${intervalText(accuracy)}`,
  },
  {
    title: 'Minus other groups',
    key: 'gap',
    align: 'right',
    render: (_, { gap }) => (gap == null ? '–' : `${signed(gap.value)} ${intervalText(gap)}`),
  },
];
