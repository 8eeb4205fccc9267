export type ToastType = 'success' | 'error' | 'warning' | 'info';

export interface Toast {
  id: number;
  type: ToastType;
  text: string;
  leaving: boolean;
}

const DURATION_MS = 5000;
/** As long as the fade in `Toasts.css`. */
const FADE_MS = 300;

const listeners = new Set<() => void>();
let shown: readonly Toast[] = [];
let lastId = 0;

export function toast(type: ToastType, text: string, duration = DURATION_MS): void {
  const id = ++lastId;
  update([...shown, { id, type, text, leaving: false }]);
  setTimeout(() => dismiss(id), duration);
}

export function dismiss(id: number): void {
  update(shown.map((each) => (each.id === id ? { ...each, leaving: true } : each)));
  setTimeout(() => update(shown.filter((each) => each.id !== id)), FADE_MS);
}

export function toasts(): readonly Toast[] {
  return shown;
}

export function onToasts(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function update(next: readonly Toast[]): void {
  shown = next;
  listeners.forEach((listener) => listener());
}
