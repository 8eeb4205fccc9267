import { ApiError } from '@/api/client';
import { mayPass } from '@/api/polling';

/** How long the typing rests before it is saved. */
const PAUSE_MS = 700;
/** How long after a failure that may pass it is tried again. */
const RETRY_MS = 5000;

export interface SavingCalls<Document, Saved> {
  /** Refused by the server where what it has is not as `expected` any more. */
  write: (document: Document, expected: Saved) => Promise<Saved>;
  /** Whether it can be saved as it is; missing where it always can. */
  isReady?: (document: Document) => boolean;
  /** Whether what is saved says the same. */
  isSame: (saved: Saved, document: Document) => boolean;
  /** Reads the version that somebody else saved, where that is why the call was refused; `null` where it is gone, `undefined` elsewhere. */
  changedTo: (failure: unknown) => Promise<Saved | null | undefined> | Saved | null | undefined;
  /** The document is on the server. */
  onSaved: (saved: Saved) => unknown;
  /** Somebody else changed it meanwhile, or deleted it (`null`). */
  onConflict: (theirs: Saved | null) => void;
  onFailure: (failure: unknown) => void;
}

/**
 * Saves a document while it is being written, one call at a time. Each says what it starts from, so that what somebody
 * else changed is never written over unasked. What fails is tried again where that can help.
 */
export class AutoSave<Document, Saved> {
  private waiting: Document | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Resolves when nothing is under way, whether it succeeded or not. */
  private running: Promise<void> = Promise.resolve();
  private conflicting = false;
  private over = false;
  /** Whether it may save by itself. */
  private allowed = true;

  constructor(
    /** The last known state of the server. */
    private known: Saved,
    private readonly calls: SavingCalls<Document, Saved>,
  ) {}

  get saved(): Saved {
    return this.known;
  }

  /** Sets whether it may save by itself: not before the user's settings have come, which may be after the first letters. */
  allow(allowed: boolean): void {
    this.allowed = allowed;
    // What was written before this was known.
    if (allowed && this.waiting !== null) this.later(this.waiting);
  }

  /** Saves once the typing rests. */
  later(document: Document, ms = PAUSE_MS): void {
    this.waiting = document;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flush(), ms);
  }

  /** Saves what is still waiting, if it can be saved as it is. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    const { waiting: document, calls } = this;
    if (document === null || calls.isReady?.(document) === false || this.over || !this.allowed) {
      await this.running;
      return;
    }
    try {
      await this.next(() => this.saveChanged(document));
    } catch (failure) {
      calls.onFailure(failure);
      this.retryLater(document, failure);
    }
  }

  /** Saves a document at once, changed or not. Resolves to whether it was; a conflict is reported instead. */
  async now(document: Document): Promise<boolean> {
    clearTimeout(this.timer);
    this.waiting = document;
    try {
      return await this.next(() => this.save(document));
    } catch (failure) {
      this.retryLater(document, failure);
      throw failure;
    }
  }

  private retryLater(document: Document, failure: unknown): void {
    if (failure instanceof ApiError && mayPass(failure)) this.later(this.waiting ?? document, RETRY_MS);
  }

  /** Drops what waits, once and for all; resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.over = true;
    clearTimeout(this.timer);
    await this.running;
  }

  get stopped(): boolean {
    return this.over;
  }

  /** Takes the version on the server as the one to start from. */
  accept(theirs: Saved): void {
    this.known = theirs;
    this.conflicting = false;
    this.waiting = null;
    clearTimeout(this.timer);
  }

  /** Runs after what is under way, whatever became of that. */
  private next<T>(attempt: () => Promise<T>): Promise<T> {
    const result = this.running.then(attempt);
    const end = () => undefined;
    this.running = result.then(end, end);
    return result;
  }

  /** Saves the document unless it was saved meanwhile. */
  private async saveChanged(document: Document): Promise<void> {
    if (this.calls.isSame(this.known, document)) await this.end(document);
    else await this.save(document);
  }

  private async save(document: Document): Promise<boolean> {
    if (this.conflicting) return false;
    try {
      this.known = await this.calls.write(document, this.known);
    } catch (failure) {
      const theirs = await this.calls.changedTo(failure);
      if (theirs === undefined) throw failure;
      if (theirs === null || !this.calls.isSame(theirs, document)) {
        this.conflicting = true;
        this.calls.onConflict(theirs);
        return false;
      }
      // It was saved before: nothing else is there.
      this.known = theirs;
    }
    await this.end(document);
    return true;
  }

  /** Nothing waits any more, unless something else was written meanwhile. */
  private async end(document: Document): Promise<void> {
    if (this.waiting !== document) return;
    this.waiting = null;
    await this.calls.onSaved(this.known);
  }
}
