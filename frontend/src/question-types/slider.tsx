import { SliderIcon } from '@/ui/icons';
import type { QuestionKind } from './kind';
import { ofEnds } from './parts';
import { Scale } from './previews';
import { endScales } from './scales';

export const slider: QuestionKind = {
  ...ofEnds,
  name: 'Slider',
  Icon: SliderIcon,
  presets: endScales,
  Preview: Scale,
};
