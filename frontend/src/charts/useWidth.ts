import { useEffect, useState } from 'react';
import { flushSync } from 'react-dom';

/** The width where nothing is laid out, as in tests. */
const UNKNOWN = 960;
/** Drawn for, on paper: four fifths of it fit between the margins of a sheet of A4, with letters of 8 points. */
const PAPER = 860;

/** The width of an element, in whole pixels: 0 until it is known. On paper one for every screen. */
export function useWidth(): [number, (element: HTMLElement | null) => void] {
  const [element, setElement] = useState<HTMLElement | null>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (element === null) return undefined;
    const measure = () => setWidth(Math.floor(element.getBoundingClientRect().width) || UNKNOWN);
    const observer = new ResizeObserver(measure);
    // The page is printed as it stands when this returns.
    const fitPaper = () => flushSync(() => setWidth(PAPER));
    observer.observe(element);
    measure();
    window.addEventListener('beforeprint', fitPaper);
    window.addEventListener('afterprint', measure);
    return () => {
      observer.disconnect();
      window.removeEventListener('beforeprint', fitPaper);
      window.removeEventListener('afterprint', measure);
    };
  }, [element]);
  return [width, setElement];
}
