import { MatrixIcon } from '@/ui/icons';
import type { QuestionKind } from './kind';
import { ofMatrix } from './parts';
import { Matrix } from './previews';
import { labelScales } from './scales';

export const matrix: QuestionKind = {
  ...ofMatrix,
  name: 'Matrix Rating',
  Icon: MatrixIcon,
  presets: labelScales.map(([name, labels]) => [name, { scaleLabels: [...labels] }]),
  Preview: (props) => <Matrix {...props} several={false} />,
  logic: ['codes', 'check', 'scale', 'reverse', 'reverseRows', 'desirable'],
  reading: (row) => (row === null ? 'option' : 'degree'),
  chart: 'agreement',
  slide: 'parts',
};
