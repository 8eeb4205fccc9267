import { App, Button } from 'antd';

/** Copies a text. */
export function CopyButton({ text, className }: { text: string; className?: string }) {
  const { message } = App.useApp();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(text);
      void message.success('Copied');
    } catch {
      void message.error('Your browser does not let this page copy');
    }
  };
  return (
    <Button size="small" className={className} onClick={() => void copy()}>
      Copy
    </Button>
  );
}
