import { TextEntryIcon } from '@/ui/icons';
import type { QuestionKind } from './kind';
import { ofWords } from './parts';
import { Field } from './previews';

export const textEntry: QuestionKind = {
  ...ofWords,
  name: 'Text Entry',
  Icon: TextEntryIcon,
  hint: 'Each digital twin answers with a short text of its own.',
  Preview: (props) => <Field {...props} rows={3} />,
};
