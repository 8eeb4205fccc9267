import { partsOfText, type FieldTexts } from './piped';

const titles = {
  answer: 'Each twin reads its answer here',
  field: 'Each twin reads its value of this field here',
  twin: 'Each twin reads this of its profile here',
  loop: 'Each twin reads this of the row here',
};

/** A text in which what is inserted for each twin is a chip with its name, or the text that an arm has for it. */
export function Piped({ text, fields = {} }: { text: string; fields?: FieldTexts }) {
  return partsOfText(text).map((part, index) => {
    if (typeof part === 'string') return part;
    const own = part.kind === 'field' ? fields[part.name] : undefined;
    return (
      <mark key={index} className="piped" {...(own === undefined && { title: titles[part.kind] })}>
        {own ?? part.name}
      </mark>
    );
  });
}
