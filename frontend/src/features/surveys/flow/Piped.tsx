/** A text in which what is inserted for each twin is marked. */
export function Piped({ text }: { text: string }) {
  return text
    .split(/(?<!\\)(\{\{[^{}\n]*\}\})/)
    .map((part, index) =>
      index % 2 === 1 ? <mark key={index}>{part.slice(2, -2).replace(/^\w+:/, '')}</mark> : part,
    );
}
