// The device of the tests: a server in a process of its own.
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { freePort } from '@telltale/stack-kit/testing';

interface Answer {
  readonly id?: number;
  readonly ready?: boolean;
  readonly answer?: unknown;
  readonly error?: string;
}

export class UaDevice {
  readonly port: number;
  readonly folder: string;
  readonly #child: ChildProcess;
  readonly #waiting = new Map<number, (answer: Answer) => void>();
  #nextId = 1;

  /** `limits` are capabilities of the server. */
  static async start(limits: Record<string, number> = {}): Promise<UaDevice> {
    const folder = mkdtempSync(join(tmpdir(), 'opcua-device-'));
    const device = new UaDevice(await freePort(), folder, limits);
    await device.#ready();
    return device;
  }

  private constructor(port: number, folder: string, limits: Record<string, number>) {
    this.port = port;
    this.folder = folder;
    const main = fileURLToPath(new URL('device-main.ts', import.meta.url));
    this.#child = fork(main, [String(port), folder, JSON.stringify(limits)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    this.#child.on('message', (answer: Answer) => {
      if (answer.id === undefined) return;
      this.#waiting.get(answer.id)?.(answer);
      this.#waiting.delete(answer.id);
    });
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  async #ready(): Promise<void> {
    for (;;) {
      const [message] = (await Promise.race([
        once(this.#child, 'message'),
        once(this.#child, 'exit').then(() => [{ error: 'the device has ended' }]),
      ])) as [Answer];
      if (message.error !== undefined) throw new Error(message.error);
      if (message.ready) return;
    }
  }

  /** The address of one of its nodes. */
  static address(name: string): string {
    return `ns=1;s=${name}`;
  }

  async order(order: Record<string, unknown>): Promise<unknown> {
    const id = this.#nextId++;
    const { promise, resolve } = Promise.withResolvers<Answer>();
    this.#waiting.set(id, resolve);
    this.#child.send({ id, ...order });
    const { answer, error } = await promise;
    if (error !== undefined) throw new Error(error);
    return answer;
  }

  freeze(): void {
    this.#child.kill('SIGSTOP');
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  async stop(): Promise<void> {
    const exited = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await exited;
    rmSync(this.folder, { recursive: true, force: true });
  }
}
