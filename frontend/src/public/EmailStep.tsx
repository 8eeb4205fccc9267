import { useState, type FormEvent } from 'react';
import { isEmail, SubmitButton, TextField } from './controls';

export function EmailStep({
  email,
  onChange,
  onSend,
}: {
  email: string;
  onChange: (email: string) => void;
  onSend: () => Promise<void>;
}) {
  const [error, setError] = useState<string | null>(null);
  const [sending, setSending] = useState(false);

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!isEmail(email)) {
      setError('Please enter a valid email address');
      return;
    }
    setError(null);
    setSending(true);
    await onSend();
    setSending(false);
  };
  return (
    <form className="login-form stack gap-4" noValidate onSubmit={(event) => void submit(event)}>
      <TextField
        label="Email"
        type="email"
        autoComplete="email"
        autoFocus
        value={email}
        error={error}
        onChange={(event) => onChange(event.target.value.trim())}
      />
      <SubmitButton busy={sending} busyText="Sending code...">
        Send Verification Code
      </SubmitButton>
    </form>
  );
}
