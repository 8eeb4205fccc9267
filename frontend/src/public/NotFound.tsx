import { paths } from '@/paths';
import { LinkButton } from './controls';
import { LogoMark } from '@/shell/Logo';
import { PublicPage } from './PublicPage';

export default function NotFound() {
  return (
    <PublicPage title="Page Not Found">
      <div className="not-found stack gap-4">
        <LogoMark size={72} />
        <h1>Page Not Found</h1>
        <p className="lead">The file you want does not exist.</p>
        <LinkButton to={paths.landing}>Go Home</LinkButton>
      </div>
    </PublicPage>
  );
}
