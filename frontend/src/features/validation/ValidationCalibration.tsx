import { Alert } from 'antd';
import { failed } from '@/api/client';
import { useGet } from '@/api/hooks';
import { Calibration } from '@/charts/evidence/Calibration';
import { Loading } from '@/ui/Page';

/** The repeats of a validation as forecasts of what people answered first. */
export function ValidationCalibration({ studyId }: { studyId: string }) {
  const { data, error } = useGet(
    '/api/studies/{studyId}/calibration',
    { params: { path: { studyId } } },
    { revalidateOnFocus: false },
  );
  if (error !== undefined)
    return <Alert type="error" title={failed('Failed to load the forecasts', error)} />;
  if (data === undefined) return <Loading text="Counting..." />;
  if (data.calibration == null) return <p className="muted">Too little was answered in every repeat.</p>;
  return <Calibration of={data.calibration} />;
}
