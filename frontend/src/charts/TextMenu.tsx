import { failed } from '@/api/client';
import { allTexts, type TextSource } from '@/api/texts';
import type { QuestionSummary } from '@/api/types';
import type { ResultFilter } from './filter';
import { copyTable } from './clipboard';
import type { Part } from './figures';
import { MoreMenu, saveCsv } from './MoreMenu';
import { textSearchQuery, useTextSearch } from './textSearch';
import { tableOfTexts, tidyOfTexts } from './textTable';

const COPY_FAILED = 'Failed to copy from this page';

/** The menu of the free texts that are found: save them, copy them. */
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
  const [sought] = useTextSearch(question.order);
  const load = () =>
    allTexts(source, { questionId: question.questionId, ...query, ...textSearchQuery(sought, groups) });
  return (
    <MoreMenu
      question={question}
      copyFailed={COPY_FAILED}
      items={[
        {
          key: 'csv',
          label: 'CSV',
          extra: 'themes and answers found',
          act: async () => saveCsv(question, tidyOfTexts(question, groups, await load())),
          failed: (error) => failed('Failed to load the answers', error),
        },
        {
          key: 'copyTable',
          label: 'Copy table',
          act: () => copyTable(load().then((texts) => tableOfTexts(question, groups, texts))),
          failed: () => COPY_FAILED,
          copies: true,
        },
      ]}
    />
  );
}
