import { Link, NavLink, useLocation } from 'react-router';
import type { Session } from '@/api/session';
import { paths } from '@/paths';
import { MenuIcon, SearchIcon, SignOutIcon } from '@/ui/icons';
import { chordText, keys } from '@/ui/keys';
import { Logo } from './Logo';
import { ThemeToggle } from './ThemeToggle';
import { AccountMenu } from './AccountMenu';
import { menuOf } from './menu';
import './Navigation.css';

export function Navigation({
  user,
  open,
  onToggle,
  onPalette,
  onKeyList,
  onSignOut,
}: {
  user: Session;
  open: boolean;
  onToggle: () => void;
  onPalette: () => void;
  onKeyList: () => void;
  onSignOut: () => void;
}) {
  const { pathname } = useLocation();
  return (
    <header className={`navigation${open ? ' navigation-open' : ''}`}>
      <div className="navigation-bar line gap-5">
        <Link to={paths.myGroups} className="navigation-home" aria-label="Digital Twin Lab, my groups">
          <Logo />
        </Link>
        <nav id="main-menu" className="navigation-items" aria-label="Main">
          {menuOf(user.role).map(({ label, to, area = [] }) => {
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
        <div className="navigation-tools line gap-1">
          <button
            type="button"
            className="icon-button navigation-roomy"
            aria-label="Go to"
            title={`Go to a page, survey, run or group (${chordText(keys.palette.chords[0])})`}
            onClick={onPalette}
          >
            <SearchIcon />
          </button>
          <span className="navigation-roomy">
            <ThemeToggle />
          </span>
          <NavLink to={paths.profile} className="navigation-profile" title={`Signed in as ${user.email}`}>
            <span className="visually-hidden">Profile </span>
            <span className="initial" aria-hidden="true">
              {nameOf(user).charAt(0).toUpperCase()}
            </span>
            <span className="navigation-name truncate">{nameOf(user)}</span>
          </NavLink>
          <AccountMenu user={user} onPalette={onPalette} onKeyList={onKeyList} onSignOut={onSignOut} />
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

const nameOf = ({ name, email }: Session) => name ?? email;
