import { beforeEach, describe, expect, it, vi, type Mock } from 'vitest';
import { ApiError } from '@/api/client';
import { pass, stopClock } from '@/testing/clock';
import { AutoSave } from './autoSave';

const refused = (status: number) => new ApiError(status, '');
const CHANGED = 409;

/** The state of the server. */
let stored: string;
/** Errors of the next calls. */
let failures: ApiError[];
let onSaved: Mock<(saved: string) => void>;
let onConflict: Mock<(theirs: string | null) => void>;
let onFailure: Mock<(failure: unknown) => void>;
let written: string[];
let saver: AutoSave<string, string>;

beforeEach(() => {
  stopClock();
  [stored, failures, written] = ['begun', [], []];
  [onSaved, onConflict, onFailure] = [vi.fn(), vi.fn(), vi.fn()];
  saver = new AutoSave(stored, {
    write: (document, expected) => {
      written.push(document);
      const failure = failures.shift() ?? (expected === stored ? undefined : refused(CHANGED));
      if (failure !== undefined) return Promise.reject(failure);
      stored = document;
      return Promise.resolve(document);
    },
    isSame: (saved, document) => saved === document,
    changedTo: (failure) => ((failure as ApiError).status === CHANGED ? stored : undefined),
    onSaved,
    onConflict,
    onFailure,
  });
});

describe('a document', () => {
  it('is saved once the typing rests, as it was written last', async () => {
    saver.later('a');
    saver.later('ab');
    await pass(1);
    expect(written).toEqual(['ab']);
    expect(onSaved).toHaveBeenCalledExactlyOnceWith('ab');
    await saver.flush();
    expect(written).toEqual(['ab']);
  });

  it('that could not be saved when asked is tried again', async () => {
    failures = [refused(503)];
    await expect(saver.now('a')).rejects.toThrow();
    await pass(5);
    expect(stored).toBe('a');
  });

  it('that the server could not save is tried again, and one that it refuses is not', async () => {
    failures = [refused(503)];
    saver.later('a');
    await pass(1);
    expect(onFailure).toHaveBeenCalledOnce();
    await pass(5);
    expect(stored).toBe('a');
    failures = [refused(400)];
    saver.later('b');
    await pass(60);
    expect(written).toEqual(['a', 'a', 'b']);
    expect(onFailure).toHaveBeenCalledTimes(2);
  });

  it('that somebody else changed is not written over before that is accepted', async () => {
    stored = 'theirs';
    saver.later('mine');
    await pass(1);
    expect(onConflict).toHaveBeenCalledExactlyOnceWith('theirs');
    saver.later('mine, too');
    await pass(60);
    expect(stored).toBe('theirs');
    saver.accept('theirs');
    saver.later('mine, too');
    await pass(1);
    expect(stored).toBe('mine, too');
  });

  it('that somebody else saved alike is saved', async () => {
    stored = 'alike';
    saver.later('alike');
    await pass(1);
    expect(onConflict).not.toHaveBeenCalled();
    expect(onSaved).toHaveBeenCalledExactlyOnceWith('alike');
  });
});
