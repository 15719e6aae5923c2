// A real browser, driven over the DevTools protocol: opens pages, runs scripts in them, and has a virtual authenticator.
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';

const places = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];
export const chromiumPath = places.find((path) => existsSync(path));

interface Answer {
  readonly id?: number;
  readonly result?: Record<string, unknown>;
  readonly error?: { readonly message: string };
}

export class Chromium {
  readonly #output: Writable;
  readonly #open = new Map<
    number,
    { resolve: (result: Record<string, unknown>) => void; reject: (error: Error) => void }
  >();
  #count = 0;
  #session = '';

  /** With one empty page. */
  static async start(cleanup: AsyncDisposableStack): Promise<Chromium> {
    const profile = temporaryFolder(cleanup);
    const args = ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', '--no-first-run'];
    const child = spawn(
      chromiumPath ?? '',
      [...args, `--user-data-dir=${profile}`, '--remote-debugging-pipe', 'about:blank'],
      { stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'], detached: true },
    );
    const ended = new Promise((resolve) => child.once('close', resolve));
    cleanup.defer(async () => {
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      await ended;
    });
    const chromium = new Chromium(child.stdio[3] as Writable, child.stdio[4] as Readable);
    void ended.then(() => chromium.#end());
    const { targetInfos } = await chromium.send('Target.getTargets');
    const [page] = (targetInfos as { type: string; targetId: string }[]).filter(({ type }) => type === 'page');
    const attached = await chromium.send('Target.attachToTarget', { targetId: page?.targetId, flatten: true });
    chromium.#session = attached.sessionId as string;
    return chromium;
  }

  private constructor(output: Writable, input: Readable) {
    this.#output = output;
    let read = '';
    input.setEncoding('utf8').on('data', (chunk: string) => {
      read += chunk;
      const messages = read.split('\0');
      read = messages.pop() ?? '';
      for (const message of messages) this.#onMessage(JSON.parse(message) as Answer);
    });
  }

  send(method: string, params: object = {}): Promise<Record<string, unknown>> {
    const id = ++this.#count;
    const session = this.#session === '' ? {} : { sessionId: this.#session };
    this.#output.write(`${JSON.stringify({ id, method, params, ...session })}\0`);
    return new Promise((resolve, reject) => this.#open.set(id, { resolve, reject }));
  }

  /** Resolves when the page is there. */
  async goTo(url: string): Promise<void> {
    await this.send('Page.enable');
    await this.send('Page.navigate', { url });
    const isThere = `new Promise((resolve) => document.readyState === 'complete' ? resolve() : addEventListener('load', resolve))`;
    await this.run(isThere);
  }

  /** The value of an expression in the page, or of what it resolves with. */
  async run(expression: string): Promise<unknown> {
    const answer = await this.send('Runtime.evaluate', {
      expression,
      awaitPromise: true,
      returnByValue: true,
      userGesture: true,
    });
    const { result, exceptionDetails } = answer as { result: { value: unknown }; exceptionDetails?: object };
    if (exceptionDetails !== undefined) throw new Error(JSON.stringify(exceptionDetails));
    return result.value;
  }

  /** As that of a computer with a fingerprint reader, and somebody who touches it. */
  async addAuthenticator(): Promise<void> {
    await this.send('WebAuthn.enable');
    const options = {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    };
    await this.send('WebAuthn.addVirtualAuthenticator', { options });
  }

  #onMessage({ id, result = {}, error }: Answer): void {
    const waiting = id === undefined ? undefined : this.#open.get(id);
    if (id === undefined || waiting === undefined) return;
    this.#open.delete(id);
    if (error === undefined) waiting.resolve(result);
    else waiting.reject(new Error(error.message));
  }

  #end(): void {
    for (const { reject } of this.#open.values()) reject(new Error('the browser has ended'));
    this.#open.clear();
  }
}
