import { useState, type FormEvent } from 'react';
import { SubmitButton, TextField } from './controls';

const CODE_LENGTH = 6;

export function CodeStep({
  onVerify,
  onBack,
  arrived,
}: {
  onVerify: (code: string) => Promise<void>;
  onBack: () => void;
  /** Signed in: only the way to the first page is left. */
  arrived: boolean;
}) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [verifying, setVerifying] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (code.length !== CODE_LENGTH) {
      setError('Please enter the 6-digit verification code');
      return;
    }
    setError(null);
    setVerifying(true);
    await onVerify(code);
    setVerifying(false);
  };
  return (
    <form className="login-form" noValidate onSubmit={(event) => void submit(event)}>
      <TextField
        label="Verification code"
        className="login-code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        maxLength={CODE_LENGTH}
        value={code}
        error={error}
        onChange={(event) => setCode(event.target.value.trim().slice(0, CODE_LENGTH))}
      />
      <SubmitButton busy={verifying || arrived} busyText="Verifying...">
        Verify &amp; Sign In
      </SubmitButton>
      <div className="login-ways">
        <button type="button" className="button button-ghost button-sm" onClick={onBack} disabled={arrived}>
          Back
        </button>
        <button type="button" className="button button-ghost button-sm" onClick={onBack} disabled={arrived}>
          Resend
        </button>
      </div>
    </form>
  );
}
