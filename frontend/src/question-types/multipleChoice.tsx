import { MultipleChoiceIcon } from '@/ui/icons';
import type { QuestionKind } from './kind';
import { ofOptions, optionsOf, pick, problemOfOptions } from './parts';
import { Options } from './previews';

export const multipleChoice: QuestionKind = {
  ...ofOptions,
  name: 'Multiple Choice',
  Icon: MultipleChoiceIcon,
  isChoice: true,
  isSeveral: true,
  problemOf: (draft) => problemOfOptions('Choice', draft),
  Preview: ({ draft, name }) => (
    <Options texts={draft.options} name={name} several exclusive={draft.logic?.exclusive ?? []} />
  ),
  sample: (question) => pick(optionsOf(question)),
  logic: ['exclusive', 'codes', 'check', 'scale'],
  reading: () => 'options',
  screening: (question) => {
    const last = optionsOf(question).at(-1);
    return last === undefined ? null : { answer: question.name, has: last };
  },
  chart: 'several',
  slide: 'several',
};
