/** The result, and how far the room was off. */
export function Result({
  children,
  guess,
}: {
  children: string;
  /** The guess in words and what it was off by; none where nobody guessed. */
  guess?: { of: string; verdict: string } | undefined;
}) {
  return (
    <p className="presenter-result" role="status">
      {children}
      {guess !== undefined && (
        <span className="presenter-verdict">
          The room’s guess: {guess.of}, {guess.verdict}
        </span>
      )}
    </p>
  );
}
