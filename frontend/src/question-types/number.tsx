import { TextEntryIcon } from '@/ui/icons';
import type { QuestionKind } from './kind';
import { ofNone, sampleNumber } from './parts';
import { Field } from './previews';

export const number: QuestionKind = {
  ...ofNone,
  name: 'Number',
  Icon: TextEntryIcon,
  hint: 'Each digital twin answers with a number.',
  isOffered: false,
  isNumber: true,
  summaryOf: () => 'A number',
  Preview: (props) => <Field {...props} rows={1} />,
  sample: sampleNumber,
  logic: ['check', 'scale', 'reverse', 'desirable'],
  reading: () => 'number',
  chart: 'numbers',
  slide: 'numbers',
};
