import { useState, type FormEvent } from 'react';
import { api, ApiError } from '@/api/client';
import { purposes } from '@/api/purposes';
import { AreaField, isEmail, Notice, SelectField, SubmitButton, TextField } from './controls';

const options = [{ value: '', label: 'Select purpose of use' }, ...purposes];

const blank = { email: '', instituteName: '', purposeOfUse: '', description: '' };

export function RequestAccess({ onDone }: { onDone: () => void }) {
  const [form, setForm] = useState(blank);
  const [submitting, setSubmitting] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const [emailError, setEmailError] = useState<string | null>(null);

  const fill = (field: keyof typeof blank) => (event: { target: { value: string } }) =>
    setForm({ ...form, [field]: event.target.value });

  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const wrong = isEmail(form.email) ? null : 'Please enter a valid email address';
    setEmailError(wrong);
    if (wrong !== null) return;
    setError(null);
    setSubmitting(true);
    try {
      await api.post('/api/auth/request-group', { body: form });
      onDone();
    } catch (failure) {
      setError(wordsFor(failure));
    } finally {
      setSubmitting(false);
    }
  };
  return (
    <form className="request-form stack gap-4" noValidate onSubmit={(event) => void submit(event)}>
      {error !== null && <Notice type="error">{error}</Notice>}
      <TextField
        label="E-mail"
        type="email"
        autoComplete="email"
        required
        disabled={submitting}
        value={form.email}
        error={emailError}
        onChange={fill('email')}
      />
      <TextField
        label="Institution name"
        autoComplete="organization"
        disabled={submitting}
        value={form.instituteName}
        onChange={fill('instituteName')}
      />
      <SelectField
        label="Purpose of use"
        disabled={submitting}
        value={form.purposeOfUse}
        options={options}
        onChange={(purposeOfUse) => setForm({ ...form, purposeOfUse })}
      />
      <AreaField
        label="Description"
        hint="What you plan to do, roughly how many people will take part, and when."
        rows={5}
        disabled={submitting}
        value={form.description}
        onChange={fill('description')}
      />
      <SubmitButton busy={submitting} busyText="Submitting Request..." disabled={form.email.trim() === ''}>
        Submit Request
      </SubmitButton>
    </form>
  );
}

function wordsFor(failure: unknown): string {
  if (failure instanceof ApiError && failure.status === 0) {
    return 'Network error. Please check your connection and try again.';
  }
  return (failure instanceof ApiError && failure.serverMessage) || 'Something went wrong. Please try again.';
}
