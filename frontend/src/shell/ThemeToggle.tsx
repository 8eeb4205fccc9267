import { session } from '@/api/session';
import { pickTheme, themeNames, useThemeChoice, type ThemeChoice } from '@/ui/colorTheme';

const next: Record<ThemeChoice, ThemeChoice> = { light: 'dark', dark: 'system', system: 'light' };
/** The sun, the moon, and half of each: what is chosen now. */
const drawings: Record<ThemeChoice, string> = {
  light:
    'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8M12 2.5v2M12 19.5v2M2.5 12h2M19.5 12h2M5.3 5.3l1.4 1.4M17.3 17.3l1.4 1.4M5.3 18.7l1.4-1.4M17.3 6.7l1.4-1.4',
  dark: 'M20 14.5A8.5 8.5 0 0 1 9.5 4a8.5 8.5 0 1 0 10.5 10.5z',
  system: 'M4 5h16v11H4zM9 20h6M12 16v4',
};

/** Switches from light to dark, from dark to the system's theme, and back to light. */
export function ThemeToggle() {
  const choice = useThemeChoice();
  const other = next[choice];
  return (
    <button
      type="button"
      className="icon-button"
      aria-label={themeNames[other]}
      title={themeNames[other]}
      onClick={() => pickTheme(other, session() !== null)}
    >
      <svg viewBox="0 0 24 24" width="20" height="20" aria-hidden="true">
        <path
          d={drawings[choice]}
          fill="none"
          stroke="currentColor"
          strokeWidth="1.9"
          strokeLinecap="round"
          strokeLinejoin="round"
        />
      </svg>
    </button>
  );
}
