import { sessionEntry } from '@/api/kept';

/** A code that was mailed: a reload of the page still asks for it. */
export interface SentCode {
  email: string;
  /** The time at which it was sent, in milliseconds of the clock. */
  at: number;
}

const SENT = sessionEntry('sent-code');

export function lastSentCode(): SentCode | null {
  try {
    return JSON.parse(SENT.read() ?? 'null') as SentCode | null;
  } catch {
    return null;
  }
}

export function keepSentCode(sent: SentCode | null): void {
  SENT.write(sent === null ? null : JSON.stringify(sent));
}
