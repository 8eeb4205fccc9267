import { Collapse } from 'antd';
import { FigureHelp } from '@/ui/FigureHelp';

const meanings: [name: string, meaning: string][] = [
  [
    'Agreement',
    '1: every twin answers the same in both runs. Less by the distance of its answers on the scale.',
  ],
  ['Mean r', 'Whether the same twins answer high in both runs, question by question.'],
  ['Same answer', 'Share of twins with exactly the same answer in both.'],
  ['TVD', 'The part of the answers that would have to change for the two distributions to be equal.'],
  ['q', 'How often a difference like this comes by chance, allowing for all questions of the table.'],
  [
    'Adjusted p',
    'p by the rule of the frozen plan, allowing for all tests of its family. Bold: below alpha.',
  ],
  ['ICC(1)', 'The part of the variance that is between twins. The rest is chance of the model.'],
  ['Repeats for .9', 'So many repeats, averaged, would have an ICC of .9.'],
];

/** A sentence for each figure of a comparison. */
export function ComparedMeanings() {
  return (
    <Collapse
      size="small"
      items={[
        {
          key: 'figures',
          label: 'What the figures mean',
          children: (
            <>
              <dl className="meanings">
                {meanings.map(([name, meaning]) => (
                  <div key={name}>
                    <dt>{name}</dt>
                    <dd>{meaning}</dd>
                  </div>
                ))}
              </dl>
              <FigureHelp about="runs-of-a-study">Formulas, sources and limits</FigureHelp>
            </>
          ),
        },
      ]}
    />
  );
}
