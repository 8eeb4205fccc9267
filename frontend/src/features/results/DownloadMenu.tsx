import { useState } from 'react';
import { Button, Dropdown } from 'antd';
import { api } from '@/api/client';
import { saveFile } from '@/api/saveFile';
import { useResultFilter } from '@/charts/filter';
import { BundleDialog } from '@/runs/BundleDialog';
import { shortId } from '@/runs/display';
import { MoreIcon } from '@/ui/icons';
import { useDownload } from '@/ui/useDownload';

const BUNDLE = 'bundle.zip';
const RESPONSES = '/api/surveys/{surveyId}/simulation/{simulationId}/responses';

/** A run's answers in the other forms that its server makes, of the twins that the filter lets through. */
export function DownloadMenu({
  surveyId,
  simulationId,
  disabled,
}: {
  surveyId: number;
  simulationId: string;
  disabled: boolean;
}) {
  const { query } = useResultFilter();
  const { isDownloading, download } = useDownload();
  const [bundling, setBundling] = useState(false);
  const path = { surveyId, simulationId };
  const where = query.where === undefined ? {} : { where: query.where };
  const params = <Query extends object>(query: Query) => ({ path, query: { ...where, ...query } });
  const get = {
    csv: (query: { values?: 'codes' | 'both'; raw?: boolean }) => () =>
      api.get(`${RESPONSES}/wide.csv`, { params: params(query), parseAs: 'blob' }),
    jsonl: (query: { values?: 'codes' }) => () =>
      api.get(`${RESPONSES}/wide.jsonl`, { params: params(query), parseAs: 'blob' }),
    parquet: (query: { values?: 'codes' }) => () =>
      api.get(`${RESPONSES}/wide.parquet`, { params: params(query), parseAs: 'blob' }),
  };
  const files: Record<string, () => Promise<Blob>> = {
    'wide.csv': get.csv({}),
    // For programs, which take every text as it was given.
    'wide-codes.csv': get.csv({ values: 'codes', raw: true }),
    'wide-both.csv': get.csv({ values: 'both' }),
    'wide.jsonl': get.jsonl({}),
    'wide-codes.jsonl': get.jsonl({ values: 'codes' }),
    'wide.parquet': get.parquet({}),
    'wide-codes.parquet': get.parquet({ values: 'codes' }),
    'wide.sav': () => api.get(`${RESPONSES}/wide.sav`, { params: { path, query: where }, parseAs: 'blob' }),
    'wide.dta': () => api.get(`${RESPONSES}/wide.dta`, { params: { path, query: where }, parseAs: 'blob' }),
    'qualtrics.csv': () =>
      api.get(`${RESPONSES}/qualtrics.csv`, {
        params: { path, query: { ...where, raw: true } },
        parseAs: 'blob',
      }),
    'responses.csv': () =>
      api.get(`${RESPONSES}/export.csv`, { params: { path, query: where }, parseAs: 'blob' }),
    'responses.jsonl': () =>
      api.get(`${RESPONSES}/export.jsonl`, { params: { path, query: where }, parseAs: 'blob' }),
    'responses.parquet': () =>
      api.get(`${RESPONSES}/export.parquet`, { params: { path, query: where }, parseAs: 'blob' }),
    'codebook.csv': () => api.get(`${RESPONSES}/codebook.csv`, { params: { path }, parseAs: 'blob' }),
    'read.R': () => api.get(`${RESPONSES}/read.R`, { params: { path }, parseAs: 'blob' }),
    'read.py': () => api.get(`${RESPONSES}/read.py`, { params: { path }, parseAs: 'blob' }),
  };
  const save = (name: string) => {
    const get = files[name];
    if (get === undefined) return;
    const fileName = `simulation-${shortId(simulationId)}-${name}`;
    void download(async () => saveFile(await get(), fileName), 'Failed to download file');
  };
  const item = (key: string, label: string, extra: string) => ({ key, label, extra });
  const chosen = (query.where ?? []).length > 0;
  return (
    <>
      <Dropdown
        autoFocus
        trigger={['click']}
        placement="bottomRight"
        disabled={disabled || isDownloading}
        menu={{
          // Longer than many windows are high.
          style: { maxHeight: 'min(36rem, 70vh)', overflowY: 'auto' },
          onClick: ({ key }) => (key === BUNDLE ? setBundling(true) : save(key)),
          items: [
            {
              type: 'group',
              label: chosen ? 'A row per twin that the filter lets through' : 'A row per twin',
              children: [
                item('wide.sav', 'SPSS', 'codes with labels'),
                item('wide.dta', 'Stata', 'codes with labels'),
                item('wide.csv', 'CSV', 'labels'),
                item('wide-codes.csv', 'CSV', 'codes'),
                item('wide-both.csv', 'CSV', 'codes and labels'),
                item('qualtrics.csv', 'CSV', 'as Qualtrics exports'),
                item('wide.jsonl', 'JSON Lines', 'labels'),
                item('wide-codes.jsonl', 'JSON Lines', 'codes'),
                item('wide.parquet', 'Parquet', 'labels'),
                item('wide-codes.parquet', 'Parquet', 'codes'),
              ],
            },
            {
              type: 'group',
              label: 'A row per answer, with where it came from',
              children: [
                item('responses.csv', 'CSV', 'long'),
                item('responses.jsonl', 'JSON Lines', 'long'),
                item('responses.parquet', 'Parquet', 'long'),
              ],
            },
            {
              type: 'group',
              label: 'To prove it: what was asked, what was answered, all tables',
              children: [item(BUNDLE, 'Bundle…', 'rebuilt by twinlab replay')],
            },
            {
              type: 'group',
              label: 'To read the codes',
              children: [
                item('codebook.csv', 'Codebook', 'CSV'),
                item('read.R', 'R script', 'opens the codes'),
                item('read.py', 'Python script', 'opens the codes'),
              ],
            },
          ],
        }}
      >
        <Button
          icon={<MoreIcon />}
          loading={isDownloading}
          disabled={disabled || isDownloading}
          aria-label="More formats"
          title="More formats"
        />
      </Dropdown>
      {bundling && (
        <BundleDialog
          of="run"
          surveyId={surveyId}
          simulationId={simulationId}
          fileName={`simulation-${shortId(simulationId)}-${BUNDLE}`}
          get={(query) => api.get(`${RESPONSES}/bundle.zip`, { params: { path, query }, parseAs: 'blob' })}
          onClose={() => setBundling(false)}
        />
      )}
    </>
  );
}
