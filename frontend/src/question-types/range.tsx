import { SliderIcon } from '@/ui/icons';
import type { QuestionKind } from './kind';
import { ofEnds } from './parts';
import { Scale } from './previews';
import { endScales } from './scales';

/** A slider whose ends must be set and described. */
export const range: QuestionKind = {
  ...ofEnds,
  name: 'Range',
  Icon: SliderIcon,
  isOffered: false,
  problemOf: ({ min, max, minDescription, maxDescription }) => {
    if (min === null || max === null) return 'Range questions must have both minimum and maximum values';
    if (min >= max) return 'Minimum value must be less than maximum value';
    return minDescription.trim() === '' || maxDescription.trim() === ''
      ? 'Range questions must have descriptions for both minimum and maximum values'
      : null;
  },
  presets: endScales,
  Preview: Scale,
};
