import { useState, type FormEvent } from 'react';
import { SubmitButton } from './controls';

/** Signs in by the link of a mail. It needs a click, because mail programs open links to check them. */
export function LinkStep({
  onVerify,
  onCode,
  arrived,
}: {
  onVerify: () => Promise<void>;
  /** Sign in by a code instead. */
  onCode: () => void;
  /** Signed in: only the way to the first page is left. */
  arrived: boolean;
}) {
  const [verifying, setVerifying] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setVerifying(true);
    await onVerify();
    setVerifying(false);
  };
  return (
    <form className="login-form stack gap-4" noValidate onSubmit={(event) => void submit(event)}>
      <SubmitButton busy={verifying || arrived} busyText="Verifying...">
        Sign In
      </SubmitButton>
      <div className="line between">
        <button type="button" className="button button-ghost button-sm" onClick={onCode} disabled={arrived}>
          Use a code instead
        </button>
      </div>
    </form>
  );
}
