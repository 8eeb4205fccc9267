import { Link, NavLink, useLocation } from 'react-router';
import type { Session } from '@/api/session';
import type { Role } from '@/api/types';
import { paths } from '@/paths';
import { MenuIcon, ProfileIcon, SignOutIcon } from '@/ui/icons';
import { Logo } from '@/ui/Logo';
import { ThemeToggle } from '@/ui/ThemeToggle';
import './Navigation.css';

const everyone: readonly Role[] = ['super_admin', 'admin', 'user'];
/** The menu. A page whose address begins like one of `area` belongs to the item, too. */
const items: readonly { label: string; to: string; area?: readonly string[]; roles: readonly Role[] }[] = [
  { label: 'Dashboard', to: paths.dashboard, roles: everyone },
  { label: 'Groups', to: paths.groups, area: ['/groups/'], roles: ['super_admin'] },
  { label: 'My Groups', to: paths.myGroups, area: ['/groups/'], roles: ['user', 'admin'] },
  { label: 'Survey Builder', to: paths.surveyBuilder, area: ['/surveys/'], roles: ['user', 'admin'] },
  {
    label: 'Simulation History',
    to: paths.simulationHistory,
    area: ['/simulation-responses/', '/compare'],
    roles: everyone,
  },
  { label: 'Transactions', to: paths.transactions, roles: everyone },
];

export function Navigation({
  user,
  open,
  onToggle,
  onSignOut,
}: {
  user: Session;
  open: boolean;
  onToggle: () => void;
  onSignOut: () => void;
}) {
  const { pathname } = useLocation();
  return (
    <header className={`navigation${open ? ' navigation-open' : ''}`}>
      <div className="navigation-bar">
        <Link to={paths.myGroups} className="navigation-home" aria-label="Digital Twin Lab, my groups">
          <Logo />
        </Link>
        <nav id="main-menu" className="navigation-items" aria-label="Main">
          {items
            .filter(({ roles }) => roles.includes(user.role))
            .map(({ label, to, area = [] }) => {
              const within = area.some((start) => pathname.startsWith(start));
              return (
                <Link
                  key={to}
                  to={to}
                  {...((within || pathname === to) && { className: 'active' })}
                  {...(pathname === to ? { 'aria-current': 'page' } : within && { 'aria-current': true })}
                >
                  {label}
                </Link>
              );
            })}
        </nav>
        <div className="navigation-tools">
          <ThemeToggle />
          <NavLink to={paths.profile} className="icon-button" aria-label="Profile" title={user.email}>
            <ProfileIcon />
          </NavLink>
          <button
            type="button"
            className="icon-button"
            aria-label="Sign out"
            title="Sign out"
            onClick={onSignOut}
          >
            <SignOutIcon />
          </button>
          <button
            type="button"
            className="icon-button navigation-toggle"
            aria-label="Menu"
            title="Menu"
            aria-expanded={open}
            aria-controls="main-menu"
            onClick={onToggle}
          >
            <MenuIcon />
          </button>
        </div>
      </div>
    </header>
  );
}
