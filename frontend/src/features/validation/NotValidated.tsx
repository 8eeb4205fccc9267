import type { Simulation } from '@/api/types';
import type { Trust } from '@/api/validation';
import { paths } from '@/paths';
import { FigureHelp } from '@/ui/FigureHelp';
import { count } from '@/ui/format';
import { LinkButton } from '@/ui/Page';
import { variantName } from './figures';
import { prefillOf, TWINS } from './form';
import './validation.css';

/** Stands for the figures of a run whose twins nobody has compared with people. */
export function NotValidated({
  run: { parameters },
  trust: { offer, why },
}: {
  run: Pick<Simulation, 'parameters'>;
  trust: Trust;
}) {
  const { model, temperature, personaVariant } = parameters;
  return (
    <section className="not-validated stack gap-4 long-word" aria-labelledby="not-validated">
      <h2 id="not-validated">Not validated</h2>
      <p>
        Twins of the profile <strong>{variantName(personaVariant)}</strong>, answered for by {model} at{' '}
        {temperature == null ? 'its own temperature' : `temperature ${temperature}`}, have not been compared
        with their people yet. Read the answers as ideas, not as estimates.{' '}
        <FigureHelp about="validation">What a validation does</FigureHelp>
      </p>
      {offer != null && (
        <>
          <dl>
            <div>
              <dt>All items</dt>
              <dd>{count(offer.credits)} credits at most</dd>
            </div>
            {offer.quickCredits < offer.credits && (
              <div>
                <dt>Quick, some items of each task</dt>
                <dd>{count(offer.quickCredits)} credits at most</dd>
              </div>
            )}
          </dl>
          <div className="row-actions">
            <LinkButton type="primary" to={paths.validationOf(prefillOf(parameters))}>
              Validate
            </LinkButton>
            {offer.quickCredits < offer.credits && (
              <LinkButton to={paths.validationOf(prefillOf(parameters, 'quick'))}>Quick</LinkButton>
            )}
          </div>
          <p className="muted">{count(Math.min(TWINS, offer.people))} twins in 3 arms. Charged as any run.</p>
        </>
      )}
      {offer == null && why != null && <p className="not-validated-why">Cannot be validated: {why}</p>}
    </section>
  );
}
