import { MatrixIcon } from '@/ui/icons';
import type { QuestionKind } from './kind';
import { areTooFew, ofMatrix } from './parts';
import { Matrix } from './previews';

export const matrixMulti: QuestionKind = {
  ...ofMatrix,
  name: 'Matrix Multiple',
  Icon: MatrixIcon,
  hint: 'Each digital twin may choose several labels in every row.',
  isSeveral: true,
  start: () => ({ options: [], scaleLabels: ['', ''] }),
  problemOf: (draft) =>
    areTooFew(draft.scaleLabels)
      ? 'Matrix questions must have at least 2 non-empty scale labels'
      : ofMatrix.problemOf(draft),
  Preview: (props) => <Matrix {...props} several />,
  logic: ['codes', 'scale', 'reverse'],
  reading: () => 'options',
  chart: 'several',
  slide: 'several',
};
