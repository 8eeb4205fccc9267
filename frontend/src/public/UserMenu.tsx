import { useEffect, useRef, useState } from 'react';
import { Link, useNavigate } from 'react-router';
import { leave } from '@/api/client';
import type { Session } from '@/api/session';
import { paths } from '@/paths';
import './UserMenu.css';

/** The menu of the signed-in user: profile and sign-out. Escape and a click elsewhere close it. */
export function UserMenu({ user }: { user: Session }) {
  const [open, setOpen] = useState(false);
  const box = useRef<HTMLDivElement>(null);
  const opener = useRef<HTMLButtonElement>(null);
  const navigate = useNavigate();
  const shown = user.name ?? user.email;
  const signOut = () => {
    leave();
    void navigate(paths.login);
  };

  useEffect(() => {
    if (!open) return undefined;
    const onPress = (event: PointerEvent) => {
      if (event.target instanceof Node && !box.current?.contains(event.target)) setOpen(false);
    };
    document.addEventListener('pointerdown', onPress);
    return () => document.removeEventListener('pointerdown', onPress);
  }, [open]);

  return (
    <div
      ref={box}
      className="user-menu"
      onKeyDown={(event) => {
        if (event.key !== 'Escape') return;
        setOpen(false);
        opener.current?.focus();
      }}
    >
      <button ref={opener} type="button" aria-expanded={open} onClick={() => setOpen(!open)}>
        <span className="initial" aria-hidden="true">
          {shown.charAt(0).toUpperCase()}
        </span>
        <span className="user-name truncate small">{shown}</span>
      </button>
      {open && (
        <div className="user-menu-items stack gap-1 box small">
          <p>
            Signed in as <strong>{user.email}</strong>
          </p>
          <Link to={paths.profile}>Profile</Link>
          <button type="button" onClick={signOut}>
            Sign out
          </button>
        </div>
      )}
    </div>
  );
}
