import { InfoIcon } from '@/ui/icons';
import type { QuestionKind } from './kind';
import { ofNone } from './parts';

/** A text without an answer. */
export const info: QuestionKind = {
  ...ofNone,
  name: 'Text Only',
  Icon: InfoIcon,
  hint: 'Each digital twin reads it before the questions that follow. It takes no answer and costs nothing.',
  isAsked: false,
  summaryOf: () => 'Shown before the next question',
  Preview: () => null,
  sample: () => '',
  reading: () => 'text',
  chart: 'choice',
  slide: 'numbers',
};
