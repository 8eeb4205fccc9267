import { App, Button, Dropdown } from 'antd';
import { saveFile, titledName } from '@/api/saveFile';
import type { QuestionSummary } from '@/api/types';
import { MoreIcon } from '@/ui/icons';
import { csvOf, type Cell } from './table';

interface Item {
  key: string;
  label: string;
  extra?: string;
  act: () => Promise<void> | void;
  /** The message where it fails. */
  failed: (error: unknown) => string;
  /** Whether the action copies to the clipboard, which a message confirms. */
  copies?: boolean;
}

/** Names a file that is saved of a question by its number and its text. */
export const fileOf = ({ order, text }: QuestionSummary) => titledName(`question-${order}`, text);

/** Saves lines for programs. */
export const saveCsv = (question: QuestionSummary, lines: readonly (readonly Cell[])[]): void =>
  saveFile(new Blob([csvOf(lines)], { type: 'text/csv;charset=utf-8' }), `${fileOf(question)}.csv`);

/** The menu of a question's card. Every one copies a link to the card; `last` stands below a line. */
export function MoreMenu({
  question: { order },
  items,
  last,
  copyFailed,
}: {
  question: QuestionSummary;
  items: readonly Item[];
  last?: Item;
  /** The message where the link cannot be copied. */
  copyFailed: string;
}) {
  const { message } = App.useApp();
  const link: Item = {
    key: 'copyLink',
    label: 'Copy link',
    extra: 'to this view',
    act: () =>
      navigator.clipboard.writeText(
        `${location.origin}${location.pathname}${location.search}#question-${order}`,
      ),
    failed: () => copyFailed,
    copies: true,
  };
  const all = [...items, link, ...(last === undefined ? [] : [last])];
  const run = async (chosen: string) => {
    const item = all.find(({ key }) => key === chosen);
    try {
      await item?.act();
      if (item?.copies === true) void message.success('Copied');
    } catch (error) {
      void message.error(item?.failed(error));
    }
  };
  const shown = ({ key, label, extra }: Item) => ({ key, label, ...(extra !== undefined && { extra }) });
  return (
    <Dropdown
      autoFocus
      trigger={['click']}
      placement="bottomRight"
      menu={{
        onClick: ({ key }) => void run(key),
        items: [
          ...[...items, link].map(shown),
          ...(last === undefined ? [] : [{ type: 'divider' as const }, shown(last)]),
        ],
      }}
    >
      <Button type="text" shape="circle" icon={<MoreIcon />} aria-label={`More about question ${order}`} />
    </Dropdown>
  );
}
