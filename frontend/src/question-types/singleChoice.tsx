import { SingleChoiceIcon } from '@/ui/icons';
import type { QuestionKind } from './kind';
import { ofOptions, optionsOf, pick, problemOfOptions } from './parts';
import { Options } from './previews';
import { labelScales } from './scales';

export const singleChoice: QuestionKind = {
  ...ofOptions,
  name: 'Single Choice',
  Icon: SingleChoiceIcon,
  isChoice: true,
  problemOf: (draft) => problemOfOptions('Choice', draft),
  presets: labelScales.map(([name, labels]) => [name, { options: [...labels] }]),
  Preview: ({ draft, name }) => <Options texts={draft.options} name={name} several={false} />,
  sample: (question) => pick(optionsOf(question)),
  logic: ['codes', 'check', 'scale', 'reverse', 'desirable'],
  reading: () => 'option',
  screening: (question) => {
    const last = optionsOf(question).at(-1);
    return last === undefined ? null : { answer: question.name, is: last };
  },
  chart: 'choice',
  slide: 'parts',
};
