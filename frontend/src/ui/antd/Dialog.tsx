import { useEffect, useState, type ReactNode } from 'react';
import { Modal } from 'antd';
import { AntdTheme } from './AntdTheme';

/** Widths in pixels; `full` leaves a margin at any size of window. */
const widths = { sm: 400, md: 520, lg: 680, xl: 880, '2xl': 1080, full: 'calc(100vw - 2rem)' } as const;

/** A modal window with our sizes, open while it is rendered. Buttons are the caller's. */
export function Dialog({
  title,
  onClose,
  size = 'md',
  locked = false,
  children,
}: {
  title: ReactNode;
  onClose: () => void;
  size?: keyof typeof widths;
  /** While something is being saved: cannot be closed. */
  locked?: boolean;
  children: ReactNode;
}) {
  useFocusReturn();
  return (
    <AntdTheme>
      <Modal
        title={title}
        open
        onCancel={locked ? undefined : onClose}
        closable={!locked}
        mask={{ closable: !locked }}
        keyboard={!locked}
        width={widths[size]}
        footer={null}
        centered
      >
        {children}
      </Modal>
    </AntdTheme>
  );
}

/** Gives the focus back to what opened the dialog; to the page's content where that is gone or cannot be used now. */
function useFocusReturn(): void {
  const [opener] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // Somebody else, or this dialog still, has it.
      if (document.activeElement !== null && document.activeElement !== document.body) return;
      if (opener instanceof HTMLElement) opener.focus();
      if (document.activeElement === document.body) document.getElementById('content')?.focus();
    },
    [opener],
  );
}
