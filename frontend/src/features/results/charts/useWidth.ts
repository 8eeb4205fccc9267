import { useEffect, useState } from 'react';

/** Where nothing is laid out. */
const UNKNOWN = 960;

/** The width of an element, in whole pixels: 0 until it is known. */
export function useWidth(): [number, (element: HTMLElement | null) => void] {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element === null) return undefined;
    const measure = () => setWidth(Math.floor(element.getBoundingClientRect().width) || UNKNOWN);
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    measure();
    return () => observer.disconnect();
  }, [element]);
  return [width, setElement];
}
