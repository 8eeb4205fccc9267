import type { ReactNode } from 'react';
import { dateInFull } from '@/ui/format';
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
  return (
    <PublicPage title={title}>
      <PageHero title={title}>{intro}</PageHero>
      <div className="measure prose">
        <p>Last updated: {dateInFull(new Date())}</p>
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
