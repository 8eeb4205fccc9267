import type { ReactNode } from 'react';
import { PageHero, PublicPage } from './PublicPage';

export interface Section {
  title: string;
  body: ReactNode;
}

/** Numbered sections under the date of today. */
export function LegalPage({
  title,
  intro,
  sections,
}: {
  title: string;
  intro: string;
  sections: readonly Section[];
}) {
  const today = new Date().toLocaleDateString('en-US', { year: 'numeric', month: 'long', day: 'numeric' });
  return (
    <PublicPage title={title}>
      <PageHero title={title}>{intro}</PageHero>
      <div className="measure prose">
        <p>Last updated: {today}</p>
        {sections.map((section, index) => (
          <section key={section.title}>
            <h2>
              {index + 1}. {section.title}
            </h2>
            {section.body}
          </section>
        ))}
      </div>
    </PublicPage>
  );
}
