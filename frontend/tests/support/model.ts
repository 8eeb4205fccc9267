import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Program } from './program.ts';

/**
 * A model server that answers when the test lets it: calls wait at a gate, and what goes through is answered by the
 * demo model behind, or refused. So a run stands still where a test wants to look at it, on a slow machine too. A stream
 * arrives as a whole and is named JSON, as behind some proxies.
 */
export class Model {
  private waiting: (() => void)[] = [];
  /** Calls that may still go through. */
  private left = Infinity;
  private refusing = false;

  private constructor(
    private readonly server: Server,
    private readonly demo: Program,
    private readonly behind: string,
  ) {}

  static async start(): Promise<Model> {
    const [demo, behind] = await Program.start(['demo-model', '--port', '0'], {}, /at (http\S+),/);
    const server = createServer();
    const model = new Model(server, demo, behind);
    server.on('request', (request, response) => {
      model.pass(request, response).catch((reason: unknown) => response.destroy(reason as Error));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return model;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
  }

  /** Lets so many more calls through; the rest waits. */
  allow(calls: number): void {
    this.left = calls;
    while (this.left > 0) {
      const next = this.waiting.shift();
      if (next === undefined) return;
      this.left -= 1;
      next();
    }
  }

  /** Refuses all calls from now on, or answers them again. */
  refuse(refusing: boolean): void {
    this.refusing = refusing;
  }

  async stop(): Promise<void> {
    this.allow(Infinity);
    this.server.closeAllConnections();
    await new Promise((resolve) => this.server.close(resolve));
    await this.demo.stop();
  }

  private async pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    await this.turn();
    if (this.refusing) {
      respond(response, 200, JSON.stringify(refusal));
      return;
    }
    const answer = await fetch(`${this.behind}${(request.url ?? '').replace(/^\/v1/, '')}`, {
      method: request.method ?? 'POST',
      // Files are forms.
      headers: { 'Content-Type': request.headers['content-type'] ?? 'application/json' },
      body: request.method === 'GET' ? null : Buffer.concat(chunks),
    });
    respond(response, answer.status, await answer.text());
  }

  private turn(): Promise<void> {
    if (this.left > 0) {
      this.left -= 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => this.waiting.push(resolve));
  }
}

function respond(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(body);
}

const refusal = {
  id: 'refused',
  object: 'chat.completion',
  created: 0,
  model: 'twinlab-demo',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: null, refusal: 'I will not answer that.' },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};
