import { Link } from 'react-router';
import { paths } from '@/paths';
import './help.css';

/** Leads to the paragraph that explains figures. */
export function FigureHelp({
  about,
  children = 'What each figure means',
}: {
  about: string;
  children?: string;
}) {
  return (
    <Link className="figure-help" to={paths.evidence(about)} target="_blank">
      {children}
    </Link>
  );
}
