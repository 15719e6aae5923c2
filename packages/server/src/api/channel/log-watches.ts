// Who watches what function modules print. Lines are the first thing to be left out for a client that does not keep up:
// they are counted, told as soon as it takes something again, and stand in the log all the same.
import type { FunctionModules, ModuleLines } from '../../modules/index.ts';
import type { ChannelClient } from './channel-client.ts';

/** Lines are added to no more than so much that waits for a client. */
const mostWaitingBytes = 1 << 20;

const opening = '{"notification":"FunctionModuleLogNotification","lines":[';

export type WatchedLogs = Pick<FunctionModules, 'has' | 'names' | 'onLines' | 'watchLogs'>;

export class LogWatches {
  readonly #modules: WatchedLogs;
  readonly #all = new Set<ChannelClient>();
  readonly #watched = new Map<ChannelClient, Set<string>>();
  /** Lines left out of which the client does not know yet. */
  readonly #skipped = new Map<ChannelClient, number>();
  /** What the keeper was told to hand on. */
  #handedOn = '[]';

  constructor(modules: WatchedLogs) {
    this.#modules = modules;
    modules.onLines((lines) => this.#onLines(lines));
  }

  get count(): number {
    let count = this.#all.size;
    for (const names of this.#watched.values()) count += names.size;
    return count;
  }

  countOf(client: ChannelClient): number {
    return this.#watched.get(client)?.size ?? 0;
  }

  has(name: string): boolean {
    return this.#modules.has(name);
  }

  watch(client: ChannelClient, names: readonly string[]): void {
    if (this.#all.has(client)) return;
    this.#watched.set(client, new Set([...(this.#watched.get(client) ?? []), ...names]));
    this.#handOn();
  }

  watchAll(client: ChannelClient): void {
    this.#watched.delete(client);
    this.#all.add(client);
    this.#handOn();
  }

  unwatch(client: ChannelClient, names: readonly string[]): void {
    if (this.#all.delete(client)) this.#watched.set(client, new Set(this.#modules.names()));
    const watched = this.#watched.get(client);
    for (const name of names) watched?.delete(name);
    if (watched?.size === 0) this.leave(client);
    else this.#handOn();
  }

  leave(client: ChannelClient): void {
    this.#skipped.delete(client);
    if (this.#all.delete(client) || this.#watched.delete(client)) this.#handOn();
  }

  #handOn(): void {
    const names = new Set<string>();
    for (const watched of this.#watched.values()) for (const name of watched) names.add(name);
    const wanted = this.#all.size > 0 ? 'all' : [...names].sort();
    const text = JSON.stringify(wanted);
    if (text === this.#handedOn) return;
    this.#handedOn = text;
    this.#modules.watchLogs(wanted);
  }

  #onLines({ module, lines, skipped }: ModuleLines): void {
    let texts: string | undefined;
    const tell = (client: ChannelClient) => {
      if (client.waitingBytes > mostWaitingBytes) {
        this.#leaveOut(client, lines.length + skipped);
        return;
      }
      texts ??= lines.map((line) => JSON.stringify({ name: module, ...line })).join(',');
      this.#send(client, texts, skipped);
    };
    for (const client of this.#all) tell(client);
    for (const [client, names] of this.#watched) if (names.has(module)) tell(client);
  }

  #leaveOut(client: ChannelClient, lines: number): void {
    const known = this.#skipped.get(client);
    this.#skipped.set(client, (known ?? 0) + lines);
    if (known !== undefined) return;
    client.onceDrained(() => {
      if (this.#skipped.has(client)) this.#send(client, '', 0);
    });
  }

  #send(client: ChannelClient, texts: string, more: number): void {
    const skipped = more + (this.#skipped.get(client) ?? 0);
    this.#skipped.delete(client);
    client.send(`${opening}${texts}]${skipped > 0 ? `,"skipped":${skipped}` : ''}}`);
  }
}
