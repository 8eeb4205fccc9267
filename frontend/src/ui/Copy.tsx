import { App, Button, Input, Space, type ButtonProps } from 'antd';

/** Copies a text, and says whether it could. */
export function CopyButton({
  text,
  copied = 'Copied',
  failed = 'Your browser does not let this page copy',
  ...button
}: {
  text: string;
  copied?: string;
  failed?: string;
} & Pick<ButtonProps, 'size' | 'className'>) {
  const { message } = App.useApp();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      void message.success(copied);
    } catch {
      void message.error(failed);
    }
  };
  return (
    <Button {...button} onClick={() => void copy()}>
      Copy
    </Button>
  );
}

/** A text that is shown once, to be copied. `label`: what it is, as `Link`. */
export function CopyField({ label, text }: { label: string; text: string }) {
  return (
    <Space.Compact block>
      <Input aria-label={label} value={text} readOnly onFocus={(event) => event.target.select()} />
      <CopyButton
        text={text}
        copied={`${label} copied`}
        failed={`Failed to copy: select the ${label.toLowerCase()} and copy it by hand`}
      />
    </Space.Compact>
  );
}
