import { useSyncExternalStore } from 'react';
import { api } from '@/api/client';

// Light or dark. `public/theme.js` sets it before the first paint.

export type Theme = 'light' | 'dark';

const listeners = new Set<() => void>();

export function currentTheme(): Theme {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light';
}

export function chooseTheme(theme: Theme): void {
  localStorage.setItem('theme', theme);
  document.documentElement.dataset.theme = theme;
  listeners.forEach((listener) => listener());
}

export function useTheme(): Theme {
  return useSyncExternalStore(onThemeChange, currentTheme);
}

function onThemeChange(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Shows the theme that the user chose, perhaps on another machine. Without an answer this machine's stays. */
export async function applySavedTheme(): Promise<void> {
  try {
    const { theme } = await api.get('/api/auth/settings');
    chooseTheme(theme === 'dark' ? 'dark' : 'light');
  } catch {
    // A theme is no reason to keep anybody waiting or to complain.
  }
}

/** Keeps the theme among the user's settings, for their other machines. This one shows it already. */
export async function saveTheme(theme: Theme): Promise<void> {
  try {
    const settings = await api.get('/api/auth/settings');
    await api.put('/api/auth/settings', { body: { ...settings, theme } });
  } catch {
    // As above.
  }
}
