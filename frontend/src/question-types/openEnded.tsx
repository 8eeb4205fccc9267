import { TextEntryIcon } from '@/ui/icons';
import type { QuestionKind } from './kind';
import { ofWords } from './parts';
import { Field } from './previews';

export const openEnded: QuestionKind = {
  ...ofWords,
  name: 'Openended',
  Icon: TextEntryIcon,
  hint: 'Each digital twin answers in its own words, at any length.',
  isOffered: false,
  Preview: (props) => <Field {...props} rows={3} />,
};
