import { Alert } from 'antd';
import { failed } from '@/api/client';
import { useValidationOffer } from '@/api/validation';
import { FigureHelp } from '@/ui/FigureHelp';
import { EmptyState, Loading, Page, Panel } from '@/ui/Page';
import { Offer } from './Offer';
import { ValidationForm } from './ValidationForm';
import './validation.css';

/** The page of validations: the questions that one would ask, and its start. */
export default function ValidationPage() {
  const { data: offer, error } = useValidationOffer();
  return (
    <Page title="Validation" subtitle="How far the answers of twins can be trusted">
      <Panel title="What a validation does">
        <p className="validation-lead">
          Twins are asked questions that their people have answered and that no profile holds, and their
          answers stand beside those of the people. It shows what the profile adds to a model that knows
          nobody, and how near that comes to the same people asked again. <FigureHelp about="validation" />
        </p>
        {offer !== undefined && <Offer of={offer} />}
        {offer === undefined && error === undefined && <Loading />}
        {error !== undefined && error.status !== 404 && (
          <Alert type="error" title={failed('Failed to load what a validation asks', error)} />
        )}
        {error?.status === 404 && (
          <EmptyState title="There are no digital twins">
            An administrator imports the personas that a validation asks.
          </EmptyState>
        )}
      </Panel>
      {offer?.headline != null && <ValidationForm offer={offer} headline={offer.headline} />}
    </Page>
  );
}
