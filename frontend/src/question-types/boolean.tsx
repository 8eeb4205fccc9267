import { TextEntryIcon } from '@/ui/icons';
import type { QuestionKind } from './kind';
import { ofNone, pick } from './parts';
import { Options } from './previews';

export const YES_AND_NO = ['Yes', 'No'];

export const boolean: QuestionKind = {
  ...ofNone,
  name: 'Boolean',
  Icon: TextEntryIcon,
  hint: 'Each digital twin answers yes or no.',
  isOffered: false,
  summaryOf: () => 'Yes or no',
  Preview: ({ name }) => <Options texts={YES_AND_NO} name={name} several={false} />,
  sample: () => pick(YES_AND_NO),
  logic: ['check', 'desirable'],
  reading: () => 'boolean',
  screening: ({ name }) => ({ answer: name, is: false }),
  chart: 'choice',
  slide: 'parts',
};
