import { Link } from 'react-router';
import { useSession } from '@/api/session';
import { paths } from '@/paths';
import { LinkButton } from './controls';
import { Logo } from '@/shell/Logo';
import { ThemeToggle } from '@/shell/ThemeToggle';
import { UserMenu } from './UserMenu';
import './PublicHeader.css';

export function PublicHeader() {
  const user = useSession();
  return (
    <header className="public-header">
      <div className="public-bar line gap-4 between">
        <Link
          to={user === null ? paths.landing : paths.myGroups}
          className="public-home"
          aria-label="Digital Twin Lab"
        >
          <Logo />
        </Link>
        <nav aria-label="Main" className="public-nav line gap-4">
          {user === null ? (
            <>
              <Link to={paths.landing}>Home</Link>
              <Link to={paths.login}>Sign In</Link>
              <LinkButton to={paths.getStarted} size="sm">
                Get Started
              </LinkButton>
            </>
          ) : (
            <UserMenu user={user} />
          )}
          <ThemeToggle />
        </nav>
      </div>
    </header>
  );
}
