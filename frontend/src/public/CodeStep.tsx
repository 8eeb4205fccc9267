import { useEffect, useState, type FormEvent } from 'react';
import { SubmitButton, TextField } from './controls';

const CODE_LENGTH = 6;
/** A mail takes a while: no second code before that. */
const RESEND_MS = 30_000;

export function CodeStep({
  onVerify,
  onBack,
  arrived,
  sentAt,
}: {
  onVerify: (code: string) => Promise<void>;
  onBack: () => void;
  /** Signed in: only the way to the first page is left. */
  arrived: boolean;
  /** When the code was sent, in milliseconds of the clock. */
  sentAt: number;
}) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<string | null>(null);
  const [verifying, setVerifying] = useState(false);
  const rest = useRest(sentAt + RESEND_MS);

  const verify = async (code: string) => {
    if (code.length !== CODE_LENGTH) {
      setError('Please enter the 6-digit verification code');
      return;
    }
    setError(null);
    setVerifying(true);
    await onVerify(code);
    setVerifying(false);
  };
  /** Mails and messages group the digits; the last of them is as good as the button. */
  const write = (text: string) => {
    const digits = text.replace(/\D/g, '').slice(0, CODE_LENGTH);
    setCode(digits);
    if (digits.length === CODE_LENGTH && digits !== code && !verifying) void verify(digits);
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void verify(code);
  };
  return (
    <form className="login-form stack gap-4" noValidate onSubmit={submit}>
      <TextField
        label="Verification code"
        className="login-code"
        inputMode="numeric"
        autoComplete="one-time-code"
        autoFocus
        value={code}
        error={error}
        onChange={(event) => write(event.target.value)}
      />
      <SubmitButton busy={verifying || arrived} busyText="Verifying...">
        Verify &amp; Sign In
      </SubmitButton>
      <div className="line between">
        <button type="button" className="button button-ghost button-sm" onClick={onBack} disabled={arrived}>
          Back
        </button>
        <button
          type="button"
          className="button button-ghost button-sm"
          onClick={onBack}
          disabled={arrived || rest > 0}
        >
          {rest > 0 ? `Resend in ${rest} s` : 'Resend'}
        </button>
      </div>
    </form>
  );
}

/** The whole seconds until a moment, counted down; 0 after it. */
function useRest(moment: number): number {
  const [now, setNow] = useState(() => Date.now());
  const over = now >= moment;
  useEffect(() => {
    if (over) return undefined;
    const timer = setInterval(() => setNow(Date.now()), 1000);
    return () => clearInterval(timer);
  }, [over]);
  return Math.max(0, Math.ceil((moment - now) / 1000));
}
