import { useEffect, type ReactNode } from 'react';
import { useLocation } from 'react-router';
import { useTitle } from '@/ui/titleAndAddress';
import { PublicFooter } from './PublicFooter';
import { PublicHeader } from './PublicHeader';
import './PublicPage.css';

/** Around every page that a visitor can read. */
export function PublicPage({ title, children }: { title: string; children: ReactNode }) {
  const { pathname } = useLocation();
  useTitle(title);
  useEffect(() => {
    window.scrollTo(0, 0);
  }, [pathname]);
  return (
    <div className="public">
      <a className="skip-link" href="#content">
        Skip to content
      </a>
      <PublicHeader />
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <PublicFooter />
    </div>
  );
}

/** The opening of a page of text. */
export function PageHero({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="page-hero">
      <div className="measure">
        <h1>{title}</h1>
        <p className="lead">{children}</p>
      </div>
    </div>
  );
}
