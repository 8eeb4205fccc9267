import { useState } from 'react';
import { Select } from 'antd';
import type { Compared } from '@/api/types';
import { EvidenceChart } from '@/charts/evidence/EvidenceChart';
import type { Item } from '@/charts/evidence/figures';
import { StepPair } from '@/charts/evidence/StepPair';

/** How the answers of people and of twins are distributed, a question at a time. */
export function Distributions({
  questions,
  asked,
}: {
  questions: readonly Item[];
  asked: Compared['file']['questions'];
}) {
  const [chosen, setChosen] = useState<string | null>(null);
  const drawn = questions.filter(({ ecdf }) => ecdf.length > 0);
  const item = drawn.find(({ name }) => name === chosen) ?? drawn[0];
  if (item === undefined) return null;
  const options = asked.find(({ name }) => name === item.name)?.options ?? [];
  const labels = options.map((option, place) => `${place + 1}: ${option}`).join(', ');
  const title = `Distributions of ${item.name}`;
  return (
    <>
      <h2>Distributions</h2>
      <Select
        aria-label="Question of the distributions"
        className="people-question"
        showSearch={{ optionFilterProp: 'label' }}
        value={item.name}
        options={drawn.map(({ name, text }) => ({ value: name, label: `${name}: ${text}` }))}
        onChange={setChosen}
      />
      <EvidenceChart
        title={title}
        about="twins-and-people-as-two-groups"
        meta={`Share of answers up to each value; where twins are too alike, their line is steeper${labels === '' ? '' : `. ${labels}`}`}
        lines={[
          ['value', 'people', 'twins'],
          ...item.ecdf.map(({ value, people, twins }) => [value, people, twins]),
        ]}
      >
        {(width) => <StepPair points={item.ecdf} width={width} label={title} />}
      </EvidenceChart>
    </>
  );
}
