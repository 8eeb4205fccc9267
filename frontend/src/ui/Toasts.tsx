import { useSyncExternalStore } from 'react';
import { dismiss, onToasts, toasts } from './toasts';
import './Toasts.css';

/** Every page has these at its end; screen readers hear them when they come. */
export function Toasts() {
  const shown = useSyncExternalStore(onToasts, toasts);
  return (
    <div className="toasts" role="status" aria-live="polite">
      {shown.map(({ id, type, text, leaving }) => (
        <div key={id} className={`toast toast-${type}${leaving ? ' toast-leaving' : ''}`}>
          <span>{text}</span>
          <button type="button" aria-label="Dismiss" onClick={() => dismiss(id)}>
            ×
          </button>
        </div>
      ))}
    </div>
  );
}
