import type { Survey } from '@/api/types';

/** What a list calls a survey: its title and description, two lines of each at most. */
export function SurveyTitle({ survey: { title, description } }: { survey: Survey }) {
  return (
    <div className="survey-title">
      <strong className="two-lines" title={title}>
        {title}
      </strong>
      {description !== '' && (
        <p className="muted two-lines" title={description}>
          {description}
        </p>
      )}
    </div>
  );
}
