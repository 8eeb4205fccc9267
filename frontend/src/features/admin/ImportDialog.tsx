import { useState } from 'react';
import { Alert, Checkbox } from 'antd';
import { Dialog } from '@/ui/Dialog';

/** The data set that a file can be said to be. */
const DATASET = 'Twin-2K-500';

/** Imports a file of twins: the user's own, or those of a published data set, which needs a confirmation. */
export function ImportDialog({
  file,
  onImport,
  onClose,
}: {
  file: File;
  /** `null`: no data set is named. */
  onImport: (dataset: string | null) => void;
  onClose: () => void;
}) {
  const [isDataset, setIsDataset] = useState(false);
  const [asked, setAsked] = useState(false);
  if (asked)
    return (
      <Dialog
        title={`Is ${file.name} ${DATASET}?`}
        onClose={onClose}
        action={{
          text: `Import as ${DATASET}`,
          onClick: () => onImport(DATASET),
          onCancel: () => setAsked(false),
        }}
      >
        <Alert
          type="warning"
          showIcon
          title={`Results will name ${DATASET} as the source of these twins`}
          description="Every page, download and bundle cites Toubia et al. (2025) as the authors of the people’s answers and puts the texts under their licence, CC BY 4.0. That is right only for the published data, unchanged."
        />
      </Dialog>
    );
  return (
    <Dialog
      title="Import Digital Twins"
      onClose={onClose}
      action={{ text: 'Import', onClick: () => (isDataset ? setAsked(true) : onImport(null)) }}
    >
      <p>
        The twins of <strong>{file.name}</strong> take the place of the current ones. Results call them “own
        file {file.name}”, unless the file has all columns of the published {DATASET}.
      </p>
      <Checkbox checked={isDataset} onChange={({ target }) => setIsDataset(target.checked)}>
        These are the people of {DATASET}, as published
      </Checkbox>
    </Dialog>
  );
}
