import { spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';

const PROGRAM = process.env.TWINLAB ?? new URL('../../../target/debug/twinlab', import.meta.url).pathname;

/** A running `twinlab`; what it printed is shown when it ends before it should. */
export class Program {
  private readonly printed: string[] = [];
  private readonly ended: Promise<void>;

  private constructor(private readonly child: ChildProcess) {
    this.ended = new Promise((resolve) => child.once('exit', () => resolve()));
  }

  /** Resolves to the program and the first group of `ready` in what it prints, once that is printed. */
  static async start(
    args: string[],
    env: Record<string, string>,
    ready: RegExp,
  ): Promise<[program: Program, output: string]> {
    const child = spawn(PROGRAM, args, {
      // Nothing of the machine's own settings: only what a test says. No load balancer needs time to notice the end.
      env: { PATH: process.env.PATH, NO_COLOR: '1', DRAIN_S: '0', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const program = new Program(child);
    const output = await new Promise<string>((resolve, reject) => {
      const read = (line: string) => {
        program.printed.push(line);
        const found = ready.exec(line)?.[1];
        if (found !== undefined) resolve(found);
      };
      for (const output of [child.stdout, child.stderr]) {
        if (output !== null) createInterface({ input: output }).on('line', read);
      }
      child.once('error', reject);
      child.once('exit', (code) =>
        reject(new Error(`twinlab ${args.join(' ')} ended with ${code}:\n${program.printed.join('\n')}`)),
      );
    });
    return [program, output];
  }

  /** Asks it to stop, and soon asks again: connections that browsers keep open are cut off then. */
  async stop(): Promise<void> {
    this.child.kill('SIGTERM');
    const again = setTimeout(() => this.child.kill('SIGTERM'), 1000);
    await this.ended;
    clearTimeout(again);
  }
}
