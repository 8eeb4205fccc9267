import { useSyncExternalStore } from 'react';
import { api } from '@/api/client';
import { localEntry } from '@/api/kept';
import { moduleState } from '@/api/moduleState';

// Light, dark or as the system is; light until somebody chooses. `public/theme.js` sets it before the first paint.

export type Theme = 'light' | 'dark';
/** The choice of a visitor. */
export type ThemeChoice = Theme | 'system';
/** The label of each choice. */
export const themeNames: Record<ThemeChoice, string> = {
  light: 'Use the light theme',
  dark: 'Use the dark theme',
  system: "Use the system's theme",
};

const CHOICE = localEntry('theme');
const listeners = new Set<() => void>();
const systemIsDark = () => matchMedia('(prefers-color-scheme: dark)');

export const choiceOf = (text: unknown): ThemeChoice =>
  text === 'dark' || text === 'system' ? text : 'light';

/** The theme that is shown. */
export function currentTheme(): Theme {
  return document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light';
}

export function currentChoice(): ThemeChoice {
  try {
    return choiceOf(CHOICE.read());
  } catch {
    return 'light';
  }
}

export function chooseTheme(choice: ThemeChoice): void {
  CHOICE.write(choice);
  show();
}

function show(): void {
  const choice = currentChoice();
  const shown = choice === 'system' ? (systemIsDark().matches ? 'dark' : 'light') : choice;
  document.documentElement.dataset.theme = shown;
  listeners.forEach((listener) => listener());
}

/** Paper is white. */
function showOnPaper(): void {
  document.documentElement.dataset.theme = 'light';
  listeners.forEach((listener) => listener());
}

export const useTheme = (): Theme => useSyncExternalStore(onThemeChange, currentTheme);
export const useThemeChoice = (): ThemeChoice => useSyncExternalStore(onThemeChange, currentChoice);

/** Calls the listener when the theme changes, in this tab or in another. */
function onThemeChange(listener: () => void): () => void {
  const system = systemIsDark();
  if (listeners.size === 0) {
    system.addEventListener('change', show);
    window.addEventListener('storage', show);
    window.addEventListener('beforeprint', showOnPaper);
    window.addEventListener('afterprint', show);
  }
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    system.removeEventListener('change', show);
    window.removeEventListener('storage', show);
    window.removeEventListener('beforeprint', showOnPaper);
    window.removeEventListener('afterprint', show);
  };
}

const state = moduleState({
  /** A visitor chose, whom the server does not know yet. */
  chosenSignedOut: false,
});

/** The action of the button of a header. */
export function pickTheme(choice: ThemeChoice, signedIn: boolean): void {
  chooseTheme(choice);
  if (signedIn) void saveTheme(choice);
  else state.chosenSignedOut = true;
}

/**
 * After sign-in: what a visitor has just chosen is kept; else the theme is shown that the user chose, perhaps on another
 * machine. Without an answer this machine's stays.
 */
export async function applySavedTheme(): Promise<void> {
  if (state.chosenSignedOut) {
    state.chosenSignedOut = false;
    await saveTheme(currentChoice());
    return;
  }
  try {
    const { theme } = await api.get('/api/auth/settings');
    chooseTheme(choiceOf(theme));
  } catch {
    // A theme is no reason to keep anybody waiting or to complain.
  }
}

/** Keeps the choice among the user's settings, for their other machines. This one shows it already. */
async function saveTheme(theme: ThemeChoice): Promise<void> {
  try {
    const settings = await api.get('/api/auth/settings');
    await api.put('/api/auth/settings', { body: { ...settings, theme } });
  } catch {
    // As above.
  }
}
