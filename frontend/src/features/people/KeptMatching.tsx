import { useState } from 'react';
import { Alert, Button, Collapse, Form } from 'antd';
import { api, failed } from '@/api/client';
import { refresh, useGet } from '@/api/hooks';
import type { components } from '@/api/schema';
import type { Compared } from '@/api/types';
import { Loading } from '@/ui/Page';
import { ColumnFields, NO_COLUMNS, type ColumnNames } from './ColumnFields';
import { cellSharesText, formulasText, marginsText, sharesOf } from './margins';
import { Matching } from './Matching';
import { matchingOf, type Choices } from './matching';
import type { HumanSample } from './SampleChoice';

type Settings = components['schemas']['ComparisonOptions'];
type Changes = components['schemas']['SampleToChange'];

const SAMPLE = '/api/human-samples/{sampleId}';

/** Changes which column of a kept sample is what; nothing for others than its owner. */
export function KeptMatching({
  sample,
  of: { file, scoring },
}: {
  sample: HumanSample;
  of: Pick<Compared, 'file' | 'scoring'>;
}) {
  const { sampleId, isOwner } = sample;
  const { data, error } = useGet(
    isOwner ? SAMPLE : null,
    { params: { path: { sampleId } } },
    { revalidateOnFocus: false },
  );
  if (!isOwner) return null;
  if (error !== undefined)
    return <Alert type="error" title={failed('Failed to load how the sample is read', error)} />;
  if (data === undefined) return <Loading />;
  // What was saved is what is edited.
  return (
    <Editor key={data.updatedAt} sampleId={sampleId} settings={data.settings} file={file} scoring={scoring} />
  );
}

function Editor({
  sampleId,
  settings,
  file,
  scoring,
}: {
  sampleId: string;
  settings: Settings;
  file: Compared['file'];
  scoring: Compared['scoring'];
}) {
  const [choices, setChoices] = useState<Choices>(choicesOf(settings));
  const [columns, setColumns] = useState(columnsOf(settings));
  const [texts, setTexts] = useState({
    margins: marginsText(settings.margins),
    cells: cellSharesText(settings.cellShares ?? {}),
    formulas: formulasText(settings.formulas),
  });
  const [error, setError] = useState<{ text: string; isOfChoices: boolean } | null>(null);
  const [busy, setBusy] = useState(false);
  const save = async (changes: Changes, isOfChoices: boolean) => {
    setBusy(true);
    setError(null);
    try {
      await api.patch(SAMPLE, { params: { path: { sampleId } }, body: changes });
      await Promise.all([
        refresh('/api/human-samples'),
        refresh('/api/surveys/{surveyId}/human-samples'),
        refresh('/api/surveys/{surveyId}/simulation/{simulationId}/people'),
        refresh('/api/studies/{studyId}/people'),
      ]);
    } catch (failure) {
      setError({ text: failed('Failed to compare', failure), isOfChoices });
    }
    setBusy(false);
  };
  const saveColumns = () => {
    const shares = sharesOf(texts);
    if (typeof shares === 'string') setError({ text: shares, isOfChoices: false });
    else void save({ ...changesOf(columns), ...shares }, false);
  };
  return (
    <div className="people-matching">
      <Matching
        file={file}
        scoring={scoring}
        choices={choices}
        onChoose={setChoices}
        onCompare={(said) => {
          setChoices(said);
          void save(
            { matching: matchingOf(said), recodes: said.recodes, arms: said.arms, scales: said.scales },
            true,
          );
        }}
        busy={busy}
        error={error?.isOfChoices === true ? error.text : null}
      />
      <Collapse
        size="small"
        items={[
          {
            key: 'columns',
            label: 'Arm, weights and groups',
            children: (
              <Form layout="vertical" className="people-form" onFinish={saveColumns}>
                <ColumnFields
                  id="kept"
                  columns={columns}
                  shares={texts}
                  onColumns={setColumns}
                  onShares={setTexts}
                />
                <div className="people-wide">
                  <Button htmlType="submit" loading={busy}>
                    Compare so
                  </Button>
                </div>
                {error?.isOfChoices === false && (
                  <Alert className="people-wide" type="error" title={error.text} />
                )}
              </Form>
            ),
          },
        ]}
      />
    </div>
  );
}

const choicesOf = ({ matching, recodes, arms, scales }: Settings): Choices => ({
  columns: matching,
  recodes,
  arms: Object.fromEntries(
    Object.entries(arms).map(([node, { column, values }]) => [node, { column, values }]),
  ),
  scales,
});

const columnsOf = ({
  arm,
  weight,
  by,
  cells,
  twinWeight,
  probability,
  regress,
  adjust,
}: Settings): ColumnNames => ({
  ...NO_COLUMNS,
  arm: arm ?? '',
  weight: weight ?? '',
  by: by ?? '',
  cells: cells.join(','),
  twinWeight: twinWeight ?? '',
  probability: probability ?? '',
  regress: regress.join(','),
  adjust: joined(adjust),
});

const listed = (names: string) =>
  names
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');

/** A list of names that is missing where it is empty. */
const joined = (names: readonly string[] | undefined) => names?.join(',') ?? '';

function changesOf({ cells, regress, adjust, ...columns }: ColumnNames): Changes {
  const trimmed = Object.entries(columns).map(([name, column]) => [name, column.trim()]);
  return {
    ...Object.fromEntries(trimmed),
    cells: listed(cells),
    regress: listed(regress),
    adjust: listed(adjust),
  };
}
