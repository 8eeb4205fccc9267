import { useState } from 'react';
import { Button, Tooltip } from 'antd';
import { api } from '@/api/client';
import { BundleDialog, type BundleParts } from '@/runs/BundleDialog';
import { shortId } from '@/runs/display';
import type { Study } from '@/runs/start/cells';

/** All runs of a study with what their files are built from, as one zip. */
export function StudyBundle({ study: { studyId, surveyId, runs } }: { study: Study }) {
  const [isOpen, setOpen] = useState(false);
  const first = runs[0];
  if (first === undefined || surveyId == null) return null;
  const get = (query: BundleParts) =>
    api.get('/api/studies/{studyId}/bundle', { params: { path: { studyId }, query }, parseAs: 'blob' });
  return (
    <>
      <Tooltip title="All runs in one zip that twinlab replay rebuilds, to prove their tables">
        <Button onClick={() => setOpen(true)}>Bundle</Button>
      </Tooltip>
      {isOpen && (
        <BundleDialog
          of="study"
          surveyId={surveyId}
          simulationId={first.simulationId}
          fileName={`study-${shortId(studyId)}-bundle.zip`}
          get={get}
          onClose={() => setOpen(false)}
        />
      )}
    </>
  );
}
