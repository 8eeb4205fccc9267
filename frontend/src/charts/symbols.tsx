const SYMBOL = /(χ²|η²|\b[FVptd](?=\(| [=<>] | by [A-Z]| not corrected))/;

/** A text in which the letters of statistics are set as such. */
export function Symbols({ text }: { text: string }) {
  return text.split(SYMBOL).map((part, index) =>
    index % 2 === 1 ? (
      <i key={index} className="symbol">
        {part}
      </i>
    ) : (
      part
    ),
  );
}

/** Symbols of statistics in a drawing, in italics. */
export function SymbolSpans({ text }: { text: string }) {
  return text.split(SYMBOL).map((part, index) =>
    index % 2 === 1 ? (
      <tspan key={index} fontFamily="'Source Serif 4', serif" fontStyle="italic" fontWeight={400}>
        {part}
      </tspan>
    ) : (
      part
    ),
  );
}
