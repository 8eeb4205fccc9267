import { diffWords } from 'diff';

/** A text in other words: what is gone struck out, what is new underlined. */
export function Wording({ before, after }: { before: string; after: string }) {
  return (
    <p className="wording">
      {diffWords(before, after).map(({ value, added, removed }, place) =>
        added ? (
          <ins key={place}>{value}</ins>
        ) : removed ? (
          <del key={place}>{value}</del>
        ) : (
          <span key={place}>{value}</span>
        ),
      )}
    </p>
  );
}
