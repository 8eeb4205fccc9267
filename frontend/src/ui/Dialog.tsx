import type { ReactNode } from 'react';
import { Modal } from 'antd';

/** Widths in pixels; `full` leaves a margin at any size of window. */
const widths = { sm: 400, md: 520, lg: 680, xl: 880, '2xl': 1080, full: 'calc(100vw - 2rem)' } as const;

/** A modal window with our sizes. The focus goes back to what opened it. Buttons are the caller's, in `footer`. */
export function Dialog({
  title,
  open,
  onClose,
  size = 'md',
  locked = false,
  footer = null,
  children,
}: {
  title: ReactNode;
  open: boolean;
  onClose: () => void;
  size?: keyof typeof widths;
  /** While something is being saved: cannot be closed. */
  locked?: boolean;
  footer?: ReactNode;
  children: ReactNode;
}) {
  return (
    <Modal
      title={title}
      open={open}
      onCancel={locked ? undefined : onClose}
      closable={!locked}
      mask={{ closable: !locked }}
      keyboard={!locked}
      width={widths[size]}
      footer={footer}
      destroyOnHidden
      centered
    >
      {children}
    </Modal>
  );
}
