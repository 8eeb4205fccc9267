/**
 * Everything that the product keeps in a browser, by its key; a key that ends in `-` or `:` goes on with what it is of. The
 * privacy page lists it. `local`: until it is removed; `session`: until the tab is closed.
 */
export const kept = {
  token: { storage: 'local', what: 'the token that signs you in, until you sign out' },
  theme: { storage: 'local', what: 'your choice of a light or dark theme' },
  'first-run-': { storage: 'local', what: 'which of the first steps you have done or put away' },
  'import-report-read-': { storage: 'local', what: 'which reports of imported surveys you have read' },
  'draft:': { storage: 'session', what: 'a question that you have begun' },
  'sent-code': {
    storage: 'session',
    what: 'the e-mail address that a sign-in code was sent to, and when',
  },
  'watched-runs': { storage: 'session', what: 'the ids of the runs whose end is announced to you' },
  farewell: { storage: 'session', what: 'why your last session ended' },
  left: { storage: 'session', what: 'that you signed out yourself' },
} as const satisfies Record<string, { storage: 'local' | 'session'; what: string }>;

type Key<Storage> = {
  [Name in keyof typeof kept]: (typeof kept)[Name]['storage'] extends Storage ? Name : never;
}[keyof typeof kept];

/** One entry of the browser's storage. */
export interface Entry {
  key: string;
  read: () => string | null;
  /** Null removes it. */
  write: (value: string | null) => void;
}

/** An entry that stays until it is removed. `of`: what it is of, where its key goes on. */
export const localEntry = (name: Key<'local'>, of: string | number = '') =>
  entry(() => localStorage, name, of);

/** An entry that the tab takes along when it is closed. */
export const sessionEntry = (name: Key<'session'>, of: string | number = '') =>
  entry(() => sessionStorage, name, of);

/** Storage may be switched off in a browser: it is looked at when it is used. */
function entry(storage: () => Storage, name: string, of: string | number): Entry {
  const key = `${name}${of}`;
  return {
    key,
    read: () => storage().getItem(key),
    write: (value) => (value === null ? storage().removeItem(key) : storage().setItem(key, value)),
  };
}
