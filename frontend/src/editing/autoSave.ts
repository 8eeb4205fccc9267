import { ApiError } from '@/api/client';
import { mayPass } from '@/api/polling';
import type { Question, QuestionPayload } from '@/api/types';
import { problemOf } from '@/question-types/content';
import type { Draft } from '@/question-types/draft';
import { contentOf, contentOfDraft } from './history';

/** What has to rest before it is saved. */
const PAUSE_MS = 700;
const RETRY_MS = 5000;

interface Calls {
  /** Refused by the server where the question is not as `expected` any more. */
  write: (body: QuestionPayload, expected: Question) => Promise<Question>;
  /** The draft is on the server. */
  onSaved: () => void;
  /** Somebody else changed the question meanwhile, or deleted it (`null`). */
  onConflict: (theirs: Question | null) => void;
  onFailure: (failure: unknown) => void;
}

/**
 * Saves a question while it is being written, one call at a time. Each says what it starts from, so that what somebody
 * else changed is never written over unasked.
 */
export class AutoSave {
  private draft: Draft | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** Resolves when nothing is under way, whether it succeeded or not. */
  private running: Promise<void> = Promise.resolve();
  private conflicting = false;
  private over = false;
  /** Whether it may save by itself: not before the user's settings have come, which may be after the first letters. */
  private allowed = false;

  constructor(
    /** As the server last had it, to our knowledge. */
    private known: Question,
    private readonly calls: Calls,
  ) {}

  get saved(): Question {
    return this.known;
  }

  allow(allowed: boolean): void {
    this.allowed = allowed;
    // What was written before this was known.
    if (allowed && this.draft !== null) this.later(this.draft);
  }

  /** Saves once the typing rests. */
  later(draft: Draft, ms = PAUSE_MS): void {
    this.draft = draft;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.flush(), ms);
  }

  /** Saves what is still waiting, if it can be saved as it is. */
  async flush(): Promise<void> {
    clearTimeout(this.timer);
    const { draft } = this;
    if (draft === null || problemOf(draft) !== null || this.over || !this.allowed) return;
    try {
      await this.next(() => this.saveChanged(draft));
    } catch (failure) {
      this.calls.onFailure(failure);
      if (failure instanceof ApiError && mayPass(failure)) this.later(this.draft ?? draft, RETRY_MS);
    }
  }

  /** Saves a draft at once, changed or not. Resolves to whether it was; a conflict is reported instead. */
  async now(draft: Draft): Promise<boolean> {
    clearTimeout(this.timer);
    this.draft = draft;
    return this.next(() => this.save(draft));
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

  /** The question on the server is the one to start from now. */
  accept(theirs: Question): void {
    this.known = theirs;
    this.conflicting = false;
    this.draft = null;
    clearTimeout(this.timer);
  }

  /** Runs after what is under way, whatever became of that. */
  private next<T>(attempt: () => Promise<T>): Promise<T> {
    const result = this.running.then(attempt);
    const end = () => undefined;
    this.running = result.then(end, end);
    return result;
  }

  /** What was saved meanwhile is not saved again. */
  private async saveChanged(draft: Draft): Promise<void> {
    const saved = JSON.stringify(contentOf(this.known));
    if (JSON.stringify(contentOfDraft(draft)) !== saved) await this.save(draft);
    else if (this.draft === draft) this.calls.onSaved();
  }

  private async save(draft: Draft): Promise<boolean> {
    if (this.conflicting) return false;
    try {
      this.known = await this.calls.write(contentOfDraft(draft), this.known);
    } catch (failure) {
      const theirs = changedTo(failure);
      if (theirs === undefined) throw failure;
      this.conflicting = true;
      this.calls.onConflict(theirs);
      return false;
    }
    if (this.draft === draft) this.calls.onSaved();
    return true;
  }
}

/** What somebody else made of the question that could not be saved: `null` where it is gone, `undefined` where nobody did. */
function changedTo(failure: unknown): Question | null | undefined {
  if (!(failure instanceof ApiError)) return undefined;
  if (failure.status === 404) return null;
  return failure.code === 'question_changed' ? (failure.body.question as Question) : undefined;
}
