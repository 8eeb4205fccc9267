import { App, Button, Dropdown } from 'antd';
import { failed } from '@/api/client';
import { saveFile, titledName } from '@/api/saveFile';
import { allTexts, type TextSource } from '@/api/texts';
import type { QuestionSummary } from '@/api/types';
import { MoreIcon } from '@/ui/icons';
import type { ResultFilter } from '../filter';
import { copyTable } from './clipboard';
import type { Part } from './figures';
import { soughtQuery, useSought } from './sought';
import { csvOf } from './table';
import { tableOfTexts, tidyOfTexts } from './textTable';

/** What can be done with the answers in free words that are found: saved, copied. */
export function TextMenu({
  source,
  question,
  query,
  groups,
}: {
  source: TextSource;
  question: QuestionSummary;
  query: ResultFilter['query'];
  groups: readonly Part[];
}) {
  const { message } = App.useApp();
  const [sought] = useSought(question.order);
  const name = `question-${question.order}`;
  const load = () =>
    allTexts(source, { questionId: question.questionId, ...query, ...soughtQuery(sought, groups) });
  const actions: Record<string, () => Promise<void>> = {
    csv: async () => {
      const lines = tidyOfTexts(question, groups, await load());
      const file = new Blob([csvOf(lines)], { type: 'text/csv;charset=utf-8' });
      saveFile(file, `${titledName(name, question.text)}.csv`);
    },
    copyTable: () => copyTable(load().then((texts) => tableOfTexts(question, groups, texts))),
    copyLink: () =>
      navigator.clipboard.writeText(`${location.origin}${location.pathname}${location.search}#${name}`),
  };
  const run = async (key: string) => {
    try {
      await actions[key]?.();
      if (key.startsWith('copy')) void message.success('Copied');
    } catch (error) {
      void message.error(
        key === 'csv' ? failed('Failed to load the answers', error) : 'Failed to copy from this page',
      );
    }
  };
  return (
    <Dropdown
      autoFocus
      trigger={['click']}
      placement="bottomRight"
      menu={{
        onClick: ({ key }) => void run(key),
        items: [
          { key: 'csv', label: 'CSV', extra: 'themes and answers found' },
          { key: 'copyTable', label: 'Copy table' },
          { key: 'copyLink', label: 'Copy link', extra: 'to this view' },
        ],
      }}
    >
      <Button
        type="text"
        shape="circle"
        icon={<MoreIcon />}
        aria-label={`More about question ${question.order}`}
      />
    </Dropdown>
  );
}
