import { Form, Select } from 'antd';
import { Link } from 'react-router';
import { readOnce, useAll } from '@/api/hooks';
import { paths } from '@/paths';
import type { Choice } from '../start/cells';
import { draftOf, type StudyPlan } from './form';
import { stateWords, titleOf } from './words';

/** The plan that a study follows, where its survey has one without a study. */
export function PlanChoice({
  surveyId,
  plan,
  onChange,
}: {
  surveyId: number;
  plan: StudyPlan | null;
  onChange: (plan: StudyPlan | null) => void;
}) {
  const { data = [] } = useAll('/api/surveys/{surveyId}/plans', { params: { path: { surveyId } } }, readOnce);
  const open = data.filter(({ studyId }) => studyId == null);
  if (open.length === 0) return null;
  return (
    <Form.Item
      label="Plan"
      htmlFor="start-plan"
      extra={
        plan === null ? (
          <Link to={paths.plans(surveyId)}>Plans of this survey</Link>
        ) : (
          'The fields below are filled in as planned. What you change is listed as a deviation once the plan is frozen.'
        )
      }
    >
      <Select<string>
        id="start-plan"
        value={plan?.planId ?? ''}
        options={[
          { value: '', label: 'None' },
          ...open.map(({ planId, document, frozen }) => ({
            value: planId,
            label: `${titleOf(document)} (${stateWords(frozen?.frozenAt)})`,
          })),
        ]}
        onChange={(value) => onChange(open.find(({ planId }) => planId === value) ?? null)}
      />
    </Form.Item>
  );
}

/** The plan of a start request, with the choices that the server compares with it: those that differ are deviations. */
export const byPlan = (
  { planId }: StudyPlan,
  { variants, everyArm, reversed }: Choice,
  { variant }: { variant: Choice['variants'][number] },
) => ({
  planId,
  arms: everyArm ? ('all' as const) : ('split' as const),
  variants: variants.length > 0 ? variants : [variant],
  orders: reversed ? ['as_written' as const, 'reversed' as const] : ['as_written' as const],
});

/** The choices of a plan for the fields of a start. */
export function plannedChoice(plan: StudyPlan): {
  choice: Choice;
  count: number | null;
  seed: number | null;
  questionsPerCall: number | null;
  shuffle: boolean | null;
} {
  const { variants, models, repeats, reversed, everyArm, personaCount, seed, questionsPerCall, shuffle } =
    draftOf(plan.document);
  return {
    choice: { variants, models, efforts: [], repeats: repeats ?? 1, reversed, everyArm },
    count: personaCount,
    seed,
    questionsPerCall,
    shuffle,
  };
}
