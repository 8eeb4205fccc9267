import { useEffect } from 'react';
import { useLocation } from 'react-router';
import html from '../../../docs/evidence.md';
import { PageHero, PublicPage } from './PublicPage';
import '@/ui/help.css';

/** The first heading is the page's own. */
const body = html.replace(/<h1[^>]*>[^<]*<\/h1>/, '');

/** The document on every figure: its meaning, formula, source and limits. It is the repository's `docs/evidence.md`. */
export default function EvidencePage() {
  const { hash } = useLocation();
  useEffect(() => {
    if (hash !== '') document.getElementById(decodeURIComponent(hash.slice(1)))?.scrollIntoView();
  }, [hash]);
  return (
    <PublicPage title="How far to trust the answers of twins">
      <PageHero title="How far to trust the answers of twins">
        What each figure of the product means, its formula, its source and its limits.
      </PageHero>
      <div className="measure prose document" dangerouslySetInnerHTML={{ __html: body }} />
    </PublicPage>
  );
}
