import { chmod, mkdtemp, readdir, readFile, rm, statfs, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from '@playwright/test';
import { Program } from './program.ts';

export const SUPER_ADMIN = 'superadmin@demo.example';
export const ADMIN = 'admin@demo.example';
export const USER = 'user@demo.example';

/** A person of the demo workspace. */
export const people = { super_admin: SUPER_ADMIN, admin: ADMIN, user: USER } as const;

const IN_MEMORY = '/dev/shm';
const ROOMY_BYTES = 8 * 1024 ** 3;

/** Returns the folder for databases of labs: in memory if there is enough, since a disk delays a start by seconds. */
async function roomy(): Promise<string> {
  const free = await statfs(IN_MEMORY).then(
    ({ bavail, bsize }) => bavail * bsize,
    () => 0,
  );
  return free >= ROOMY_BYTES ? IN_MEMORY : tmpdir();
}

/**
 * The product as people run it: the binary with its private PostgreSQL, the demo workspace, and mails as files. It
 * answers with the built-in demo model, or asks the model server at an address.
 */
export class Lab {
  private readonly tokens = new Map<string, string>();

  private constructor(
    readonly url: string,
    private readonly program: Program,
    private readonly folder: string,
  ) {}

  /** `prices` is what `LLM_PRICES` reads; without it nothing is said of money. */
  static async start(model: Record<string, string> = {}, prices?: object): Promise<Lab> {
    const folder = await mkdtemp(join(await roomy(), 'twinlab-e2e-'));
    // The private PostgreSQL may run as another user.
    await chmod(folder, 0o755);
    const file = join(folder, 'prices.json');
    if (prices !== undefined) await writeFile(file, JSON.stringify(prices));
    const priced: Record<string, string> = prices === undefined ? {} : { LLM_PRICES: file };
    const [program, url] = await Program.start(
      ['serve', '--demo', '--port', '0'],
      { DATA_DIR: folder, CONTACT_EMAIL: 'lab@university.example', RUST_LOG: 'warn', ...model, ...priced },
      /^Digital Twin Lab: (http\S+)/,
    );
    return new Lab(url, program, folder);
  }

  async stop(): Promise<void> {
    await this.program.stop();
    await rm(this.folder, { recursive: true, force: true });
  }

  /** Mails to an address, oldest first. */
  async mails(to: string): Promise<string[]> {
    const folder = join(this.folder, 'mail');
    const names = (await readdir(folder)).filter((name) => name.endsWith('.eml')).sort();
    const letters = await Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
    return letters.filter((letter) => letter.includes(`To: ${to}\r\n`) || letter.includes(`To: ${to}\n`));
  }

  /** The newest sign-in code that was mailed to an address, once there are more than `before` of them. */
  async code(to: string, before: number): Promise<string> {
    let codes: string[] = [];
    await expect(async () => {
      codes = await this.codes(to);
      expect(codes.length).toBeGreaterThan(before);
    }).toPass();
    return codes.at(-1) ?? '';
  }

  /** The sign-in codes that were mailed to an address, oldest first. */
  async codes(to: string): Promise<string[]> {
    const letters = await this.mails(to);
    return letters.flatMap(
      (letter) => /^Subject: (\d{6}) is your verification code/m.exec(letter)?.[1] ?? [],
    );
  }

  /** Whether somebody has a session. */
  knows(email: string): boolean {
    return this.tokens.has(email);
  }

  keep(email: string, token: string): void {
    this.tokens.set(email, token);
  }

  /** A session of somebody's, signed in once. */
  async token(email: string): Promise<string> {
    const known = this.tokens.get(email);
    if (known !== undefined) return known;
    const before = (await this.codes(email)).length;
    await this.post('/api/auth/request-login', { email });
    const code = await this.code(email, before);
    const { access_token: token } = (await this.post('/api/auth/verify-login', { email, code })) as {
      access_token: string;
    };
    this.tokens.set(email, token);
    return token;
  }

  /** A call of the API, as a script makes it; fails the test unless it succeeds. */
  async call(as: string | null, method: string, path: string, body?: unknown): Promise<unknown> {
    const headers = new Headers(body === undefined ? {} : { 'Content-Type': 'application/json' });
    if (as !== null) headers.set('Authorization', `Bearer ${await this.token(as)}`);
    const sent = body === undefined ? null : JSON.stringify(body);
    const answer = await fetch(`${this.url}${path}`, { method, headers, body: sent });
    const text = await answer.text();
    expect(answer.ok, `${method} ${path}: ${answer.status} ${text}`).toBe(true);
    return text === '' ? undefined : JSON.parse(text);
  }

  /** The address of the answers of the demo workspace's run. */
  async responses(): Promise<string> {
    const [run] = (await this.call(USER, 'GET', '/api/surveys/1/simulation-history')) as [
      { surveyId: number; simulationId: string },
    ];
    return `/simulation-responses/${run.surveyId}/${run.simulationId}`;
  }

  private post(path: string, body: unknown): Promise<unknown> {
    return this.call(null, 'POST', path, body);
  }
}
