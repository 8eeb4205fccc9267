import { api } from '@/api/client';
import { chooseTheme, type Theme } from './colorTheme';

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
