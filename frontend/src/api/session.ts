import { useSyncExternalStore } from 'react';
import { localEntry, sessionEntry } from './kept';
import { moduleState } from './moduleState';
import type { Role } from './types';

const TOKEN = localEntry('token');
/** The notice on the sign-in page; kept by the tab, so that a reload shows it too. */
const SIGN_OUT_NOTICE = sessionEntry('farewell');
/** Set while the tab belongs to somebody who left on purpose. */
const LEFT = sessionEntry('left');

/** The claims of a token about its bearer. The server believes only the signature; this is for showing. */
export interface Session {
  id: number | null;
  name: string | null;
  email: string;
  role: Role;
}

const listeners = new Set<() => void>();
interface State {
  /** The server ended the session, and the visitor has not come to the sign-in page since. */
  ended: boolean;
  /** The last token that was read, and what it says. */
  cached: { token: string | null; session: Session | null };
}

const state = moduleState<State>({ ended: false, cached: { token: null, session: null } });

export function token(): string | null {
  return TOKEN.read();
}

/** The signed-in user; an unreadable or expired token is removed and counts as signed out. */
export function session(): Session | null {
  const stored = token();
  if (stored === state.cached.token) return state.cached.session;
  const read = stored === null ? null : decode(stored);
  if (stored !== null && read === null) {
    SIGN_OUT_NOTICE.write(SESSION_ENDED);
    TOKEN.write(null);
  }
  state.cached = { token: read === null ? null : stored, session: read };
  return read;
}

export function signIn(accessToken: string): Session | null {
  recordSignOut(null, false);
  state.ended = false;
  TOKEN.write(accessToken);
  return announce();
}

/** The notice on the sign-in page where a session ended that nobody wanted to end. */
export const SESSION_ENDED = 'Your session ended; sign in to go on';

/** Signs out who wants to leave. `notice` is shown on the page that asks to sign in again. */
export function signOut(notice: string | null = null): void {
  recordSignOut(notice, true);
  TOKEN.write(null);
  announce();
}

/** Signs out because the server does not know the session any more. */
export function endSession(): void {
  recordSignOut(SESSION_ENDED, false);
  TOKEN.write(null);
  state.ended = true;
  announce();
}

/** Whether to send the visitor to the sign-in page, wherever they are. */
export function useSessionEnded(): boolean {
  // Who signed in again meanwhile, in another tab, stays.
  return useSyncExternalStore(subscribe, () => state.ended && token() === null);
}

/** The visitor is on the sign-in page. */
export function arriveAtSignIn(): void {
  state.ended = false;
}

/** Whether the visitor left on purpose: the next sign-in begins at the start, not where the last one ended. */
export function hasLeft(): boolean {
  return LEFT.read() !== null;
}

/** The notice on the sign-in page about the session that ended. */
export function signOutNotice(): string | null {
  return SIGN_OUT_NOTICE.read();
}

function recordSignOut(farewell: string | null, left: boolean): void {
  SIGN_OUT_NOTICE.write(farewell);
  LEFT.write(left ? 'yes' : null);
}

export function useSession(): Session | null {
  return useSyncExternalStore(subscribe, session);
}

function announce(): Session | null {
  const now = session();
  listeners.forEach((listener) => listener());
  return now;
}

/** Signing out in one tab signs out in all. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  window.addEventListener('storage', listener);
  return () => {
    listeners.delete(listener);
    window.removeEventListener('storage', listener);
  };
}

function decode(jwt: string): Session | null {
  try {
    const payload = (jwt.split('.')[1] ?? '').replaceAll('-', '+').replaceAll('_', '/');
    const bytes = Uint8Array.from(atob(payload), (letter) => letter.charCodeAt(0));
    const claims = JSON.parse(new TextDecoder().decode(bytes)) as Record<string, unknown>;
    const { email, role, name, exp } = claims;
    if (typeof email !== 'string' || !isRole(role)) return null;
    if (typeof exp === 'number' && exp * 1000 <= Date.now()) return null;
    const id = Number(claims.sub ?? claims.id);
    return {
      id: Number.isSafeInteger(id) ? id : null,
      name: typeof name === 'string' && name !== '' ? name : null,
      email,
      role,
    };
  } catch {
    return null;
  }
}

function isRole(role: unknown): role is Role {
  return role === 'super_admin' || role === 'admin' || role === 'user';
}
