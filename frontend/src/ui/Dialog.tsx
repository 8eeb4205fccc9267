import { useCallback, useEffect, useRef, useState, type FC, type KeyboardEvent, type ReactNode } from 'react';
import { Button, Flex, Modal } from 'antd';
import { isKey } from './keys';

/** Widths in pixels. */
const widths = { sm: 400, md: 520, lg: 680, xl: 880 } as const;

interface Action {
  /** The button's text: `Create Group`. */
  text: string;
  /** Its text while the dialog is busy; otherwise it keeps `text`. */
  busyText?: string;
  disabled?: boolean;
  /** Whether the action cannot be undone. */
  danger?: boolean;
  /** The id of the form in the dialog that the button submits. */
  form?: string;
  onClick?: () => void;
  /** The action of Cancel, where it is more than closing the dialog. */
  onCancel?: () => void;
  /** A second way on, between Cancel and the button. */
  also?: { text: string; disabled?: boolean; onClick: () => void };
}

/** A modal window, open while it is rendered. With an `action`, its foot has Cancel and a button for the action. */
export function Dialog({
  title,
  onClose,
  size = 'md',
  opensAt = 'field',
  busy = false,
  action,
  children,
}: {
  title: ReactNode;
  onClose: () => void;
  size?: keyof typeof widths;
  /** The element that has the focus at first: the first field to type in, or the dialog itself, whose beginning is seen then. */
  opensAt?: 'field' | 'top';
  /** While something is being saved: the dialog stays, and its buttons do not work. */
  busy?: boolean;
  action?: Action;
  children: ReactNode;
}) {
  useFocusReturn();
  const frame = useRef<HTMLDivElement>(null);
  const enter = useCallback(
    () => (opensAt === 'top' ? focusDialog(frame.current) : focusField(frame.current)),
    [opensAt],
  );
  return (
    <Modal
      title={title}
      open
      onCancel={onClose}
      closable={!busy}
      mask={{ closable: !busy }}
      keyboard={!busy}
      width={widths[size]}
      centered
      modalRender={(dialog) => (
        <div
          ref={frame}
          tabIndex={-1}
          className="dialog-frame"
          onKeyDownCapture={confirmFromSelect}
          onKeyDown={confirmByKey}
        >
          {dialog}
        </div>
      )}
      afterOpenChange={(open) => open && enter()}
      {...(action === undefined
        ? { footer: null }
        : {
            onOk: action.onClick,
            okText: busy ? (action.busyText ?? action.text) : action.text,
            okButtonProps: {
              loading: busy,
              disabled: busy || action.disabled === true,
              danger: action.danger === true,
              ...(action.form !== undefined && { htmlType: 'submit', form: action.form }),
            },
            cancelText: 'Cancel',
            cancelButtonProps: {
              disabled: busy,
              ...(action.onCancel !== undefined && { onClick: action.onCancel }),
            },
            ...(action.also !== undefined && { footer: withAlso(action.also, busy) }),
          })}
    >
      {children}
      <Entrance onEnter={enter} />
    </Modal>
  );
}

/** Tells when the dialog's content is in the page, which is before the dialog has come to rest. */
function Entrance({ onEnter }: { onEnter: () => void }) {
  useEffect(onEnter, [onEnter]);
  return null;
}

/** The first field to type in takes the focus; antd gives it to the cross that closes. */
function focusField(dialog: HTMLElement | null): void {
  const body = dialog?.querySelector('.ant-modal-body');
  if (body == null || body.contains(document.activeElement)) return;
  body.querySelector<HTMLElement>(FIELD)?.focus();
}

const FIELD =
  'input:not([type=hidden], [type=file], [type=radio], [type=checkbox], [type=range]):enabled, textarea:enabled';

/** Nothing is scrolled to: the dialog is read from its beginning. */
function focusDialog(dialog: HTMLElement | null): void {
  if (dialog?.querySelector('.ant-modal-body')?.contains(document.activeElement)) return;
  dialog?.focus({ preventScroll: true });
}

/** antd's selects take every Enter for themselves: this one is seen before they are. */
function confirmFromSelect(event: KeyboardEvent<HTMLElement>): void {
  const { target, currentTarget } = event;
  if (!(target instanceof Element) || !currentTarget.contains(target)) return;
  if (target.closest('.ant-select') === null || !isKey(event, 'confirm')) return;
  confirmByKey(event);
  event.stopPropagation();
}

/** Presses the main button wherever in the dialog the focus is. */
function confirmByKey(event: KeyboardEvent<HTMLElement>): void {
  if (event.defaultPrevented || !isKey(event, 'confirm')) return;
  event.preventDefault();
  event.currentTarget.querySelector<HTMLElement>('.ant-modal-footer .ant-btn-primary')?.click();
}

/** Cancel, the second way on, and the button. */
const withAlso =
  ({ text, disabled = false, onClick }: NonNullable<Action['also']>, busy: boolean) =>
  (_: ReactNode, { OkBtn, CancelBtn }: { OkBtn: FC; CancelBtn: FC }) => (
    <Flex wrap gap="small" justify="end">
      <CancelBtn />
      <Button disabled={busy || disabled} onClick={onClick}>
        {text}
      </Button>
      <OkBtn />
    </Flex>
  );

/** Asks before something that cannot be undone; stays until it is done. */
export function ConfirmDialog({
  title,
  action,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  /** The button's text: `Delete`. */
  action: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}) {
  const [busy, setBusy] = useState(false);
  const confirm = async () => {
    setBusy(true);
    await onConfirm();
    onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      size="sm"
      busy={busy}
      action={{ text: action, danger: true, onClick: () => void confirm() }}
    >
      <p>{children}</p>
    </Dialog>
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
