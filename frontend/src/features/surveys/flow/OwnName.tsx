import { useId, useState } from 'react';
import { Input } from 'antd';

/**
 * The name of something that others read. It changes when the field is left, or with Enter: half a name would be that of
 * something else. A name that cannot be is not taken, and said why.
 */
export function OwnName({
  label,
  value,
  className = 'flow-own-name',
  borderless = true,
  onRename,
}: {
  label: string;
  value: string;
  className?: string;
  borderless?: boolean;
  /** Resolves to why it cannot be called so, or to `null`. */
  onRename: (to: string) => Promise<string | null>;
}) {
  const id = useId();
  /** Until the name becomes another one than it was. */
  const [typed, setTyped] = useState<{
    from: string;
    text: string;
    problem: string | null;
    taken: boolean;
  }>();
  const current = typed?.from === value ? typed : undefined;
  const take = () => {
    if (current === undefined || current.taken) return;
    const text = current.text.trim();
    if (text === value) return setTyped(undefined);
    setTyped({ from: value, text, problem: null, taken: true });
    void onRename(text).then((problem) => {
      if (problem !== null) setTyped({ from: value, text, problem, taken: false });
    });
  };
  const problem = current?.problem ?? null;
  return (
    <div className="flow-named">
      <Input
        {...(borderless && { variant: 'borderless' as const })}
        size="small"
        className={className}
        aria-label={label}
        maxLength={200}
        spellCheck={false}
        autoComplete="off"
        {...(problem !== null && {
          status: 'error' as const,
          'aria-invalid': true,
          'aria-describedby': id,
        })}
        value={current?.text ?? value}
        onChange={({ target }) => setTyped({ from: value, text: target.value, problem: null, taken: false })}
        onBlur={take}
        onKeyDown={(event) => {
          if (event.nativeEvent.isComposing) return;
          if (event.key === 'Enter') take();
          else if (event.key === 'Escape' && current !== undefined) setTyped(undefined);
          else return;
          event.preventDefault();
          event.stopPropagation();
        }}
      />
      {problem !== null && (
        <p className="flow-name-problem" id={id} role="alert">
          {problem}
        </p>
      )}
    </div>
  );
}
