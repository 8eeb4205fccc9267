/** A note for others than the owner of a public survey. */
export const Suppressed = () => (
  <p className="muted">
    What tells of fewer than 5 people is left out: the survey is public, and these people’s answers are its
    owner’s.
  </p>
);
