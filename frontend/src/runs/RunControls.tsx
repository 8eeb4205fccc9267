import { useState } from 'react';
import { Button, Spin } from 'antd';
import type { Simulation } from '@/api/types';
import { controlsOf } from './controls';
import { StopRun } from './StopRun';
import { useRunActions } from './useRunActions';

/** The controls of a run in the row of a table. Stop asks first. */
export function RunControls({
  run,
  icons = false,
  onChange,
}: {
  run: Simulation;
  /** Icons instead of words, beside other icons of a row. */
  icons?: boolean;
  onChange?: () => void;
}) {
  const { busy, act } = useRunActions(run, () => onChange?.());
  const [stopping, setStopping] = useState(false);
  return (
    <>
      {controlsOf([run]).map(({ action, rowWords: words, Icon, asks }) => {
        const shared = {
          disabled: busy !== null,
          onClick: () => (asks ? setStopping(true) : void act(action)),
        };
        return icons ? (
          <Button
            key={action}
            {...shared}
            type="text"
            shape="circle"
            icon={busy === action ? <Spin size="small" /> : <Icon />}
            aria-label={words}
            title={words}
          />
        ) : (
          <Button
            key={action}
            {...shared}
            size="small"
            danger={asks}
            loading={busy === action}
            aria-label={`${words}: ${run.name ?? run.surveyTitle}`}
          >
            {asks ? `${words}…` : words}
          </Button>
        );
      })}
      {stopping && <StopRun run={run} onStop={() => act('stop')} onClose={() => setStopping(false)} />}
    </>
  );
}
