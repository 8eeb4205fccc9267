import { useEffect } from 'react';
import type { SensorAPI } from 'react-beautiful-dnd';

const ACTIVATION_PX = 8;

/** Starts a drag once the mouse has moved 8 px with the button down, so that a click stays a click. Escape cancels it. */
export function useMouseSensor(api: SensorAPI): void {
  useEffect(() => {
    let end: (() => void) | null = null;

    const onMouseDown = (down: MouseEvent) => {
      if (down.button !== 0 || down.defaultPrevented || end !== null) return;
      const id = api.findClosestDraggableId(down);
      const lock = id === null ? null : api.tryGetLock(id, () => end?.(), { sourceEvent: down });
      if (lock === null) return;
      down.preventDefault();
      const start = { x: down.clientX, y: down.clientY };
      let drag: ReturnType<typeof lock.fluidLift> | null = null;

      const onMove = (event: MouseEvent) => {
        const point = { x: event.clientX, y: event.clientY };
        if (drag !== null) drag.move(point);
        else if (Math.hypot(point.x - start.x, point.y - start.y) >= ACTIVATION_PX)
          drag = lock.fluidLift(start);
      };
      const stop = (dropped: boolean) => {
        if (drag === null) lock.abort();
        else if (dropped) drag.drop({ shouldBlockNextClick: true });
        else drag.cancel();
        end?.();
      };
      const onUp = () => stop(true);
      const onKey = (event: KeyboardEvent) => {
        if (event.key === 'Escape') stop(false);
      };
      window.addEventListener('mousemove', onMove);
      window.addEventListener('mouseup', onUp);
      window.addEventListener('keydown', onKey);
      end = () => {
        window.removeEventListener('mousemove', onMove);
        window.removeEventListener('mouseup', onUp);
        window.removeEventListener('keydown', onKey);
        end = null;
      };
    };
    window.addEventListener('mousedown', onMouseDown);
    return () => {
      window.removeEventListener('mousedown', onMouseDown);
      end?.();
    };
  }, [api]);
}
