import type { Survey } from '@/api/types';

/** The title and the description of a survey in a list, two lines of each at most. */
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
