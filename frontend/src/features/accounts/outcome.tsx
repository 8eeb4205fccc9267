import type { ButtonProps } from 'antd';
import { CheckIcon, CrossIcon } from '@/ui/icons';

export type Outcome = 'success' | 'error';

/** The look of a button that shows how the last attempt ended. */
export function endedProps(outcome: Outcome | null | undefined): ButtonProps {
  if (outcome === 'success') return { icon: <CheckIcon />, className: 'ended-well' };
  return outcome === 'error' ? { icon: <CrossIcon />, danger: true } : {};
}
