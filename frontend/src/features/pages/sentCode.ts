/** A code that was mailed: a reload of the page still asks for it. */
export interface SentCode {
  email: string;
  /** In milliseconds of the clock. */
  at: number;
}

const KEY = 'sent-code';

export function lastSentCode(): SentCode | null {
  try {
    return JSON.parse(sessionStorage.getItem(KEY) ?? 'null') as SentCode | null;
  } catch {
    return null;
  }
}

export function keepSentCode(sent: SentCode | null): void {
  if (sent === null) sessionStorage.removeItem(KEY);
  else sessionStorage.setItem(KEY, JSON.stringify(sent));
}
