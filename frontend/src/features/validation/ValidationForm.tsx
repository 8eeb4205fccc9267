import { useState } from 'react';
import { Alert, Button, Form } from 'antd';
import { useNavigate } from 'react-router';
import { failed } from '@/api/client';
import { takesSurveys } from '@/api/groups';
import { useAll } from '@/api/hooks';
import type { StudyPrice } from '@/api/prices';
import { startValidation, useValidationPrice, type ValidationOffer, type Variant } from '@/api/validation';
import { paths } from '@/paths';
import { PriceList } from '@/runs/start/PriceList';
import { Panel } from '@/ui/Page';
import { useAddress } from '@/ui/titleAndAddress';
import { useSettled } from '@/ui/useSettled';
import { variantName } from './figures';
import { draftOf, validationToSend, type Draft } from './form';
import { ValidationFields } from './ValidationFields';
import '@/runs/start/StartSimulation.css';

/** Chooses what a validation asks, says what it takes, and starts it. */
export function ValidationForm({ offer, headline }: { offer: ValidationOffer; headline: Variant }) {
  const [address] = useAddress();
  const [draft, setDraft] = useState<Draft>(() => draftOf(address, offer, headline));
  const groups = useAll('/api/groups/my', {}).data?.filter(takesSurveys);
  const group = draft.groupId ?? (groups?.length === 1 ? groups[0]?.id : undefined);
  const typed = JSON.stringify(validationToSend(draft, group));
  const settled = useSettled(typed);
  const asked = JSON.parse(settled) as ReturnType<typeof validationToSend>;
  const price = useValidationPrice(offer.setId, asked);
  const navigate = useNavigate();
  const [starting, setStarting] = useState(false);
  const [error, setError] = useState<string | null>(null);
  // The server starts once for one page, however often the button is clicked.
  const [idempotencyKey] = useState(() => crypto.randomUUID());
  const priced = typed === settled && !price.isLoading && price.error === undefined;
  const affordable = price.data !== undefined && price.data.credits <= (price.data.available ?? 0);

  const start = async () => {
    const chosen = validationToSend(draft, group);
    if (chosen === null) return;
    setStarting(true);
    setError(null);
    try {
      const study = await startValidation(offer.setId, chosen, idempotencyKey);
      void navigate(paths.study(study.studyId));
    } catch (failure) {
      setError(failed('Failed to start validation', failure));
      setStarting(false);
    }
  };
  if (groups?.length === 0)
    return (
      <Alert
        type="info"
        role="status"
        title="A validation is paid from a group. You are in none that is open."
      />
    );
  return (
    <Panel title="Validate">
      <Form layout="vertical" className="start-form" onFinish={() => void start()}>
        <ValidationFields
          offer={offer}
          headline={headline}
          groups={groups ?? []}
          group={group}
          draft={draft}
          onChange={(changed) => setDraft((before) => ({ ...before, ...changed }))}
        />
        {price.error !== undefined && (
          <Alert type="error" title={failed('Cannot start validation', price.error)} />
        )}
        {price.error === undefined && price.data !== undefined && (
          <PriceList price={price.data} nameOf={(run) => runName(run, asked?.repeats ?? 1)} />
        )}
        {error !== null && <Alert type="error" title={error} />}
        <Button
          type="primary"
          htmlType="submit"
          className="validation-start"
          loading={starting}
          disabled={starting || !priced || !affordable}
        >
          Validate
        </Button>
      </Form>
    </Panel>
  );
}

const runName = ({ parameters }: StudyPrice['runs'][number], repeats: number) =>
  `${variantName(parameters.personaVariant)}${repeats > 1 ? ` · repeat ${(parameters.cell?.repeat ?? 0) + 1}` : ''}`;
