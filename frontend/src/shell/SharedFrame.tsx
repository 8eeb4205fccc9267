import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { paths } from '@/paths';
import { AntdTheme } from '@/ui/AntdTheme';
import '@/ui/app.css';
import { Logo } from './Logo';
import './shared.css';
import { ThemeToggle } from './ThemeToggle';

/** Wraps pages that need no sign-in, only their address. */
export function SharedFrame({ children }: { children: ReactNode }) {
  return (
    <AntdTheme>
      <header className="shared-header line between">
        <Link to={paths.landing} aria-label="Digital Twin Lab">
          <Logo />
        </Link>
        <ThemeToggle />
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
    </AntdTheme>
  );
}
