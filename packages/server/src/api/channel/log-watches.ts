// Who watches the output of function modules. Lines are the first to be left out for a client that falls behind: they
// are counted, reported as soon as it takes something again, and still written to the log.
import type { ProblemError } from '@telltale/schema';
import { notAllowed } from '../../access/index.ts';
import type { FunctionModules, ModuleLines } from '../../modules/index.ts';
import type { ChannelClient } from './channel-client.ts';
import { Watchers } from './watchers.ts';

/** Lines are added to no more than so much that waits for a client. */
const mostPendingBytes = 1 << 20;

const opening = '{"notification":"FunctionModuleLogNotification","lines":[';

export type WatchedLogs = Pick<FunctionModules, 'has' | 'names' | 'areaOf' | 'onLines' | 'watchLogs'>;

export class LogWatches {
  readonly #modules: WatchedLogs;
  readonly #watchers = new Watchers();
  /** Skipped lines that have not been reported to the client. */
  readonly #skipped = new Map<ChannelClient, number>();
  /** The modules whose lines the keeper was asked to forward. */
  #handedOn = '[]';

  constructor(modules: WatchedLogs) {
    this.#modules = modules;
    modules.onLines((lines) => this.#onLines(lines));
  }

  get count(): number {
    return this.#watchers.count;
  }

  countOf(client: ChannelClient): number {
    return this.#watchers.countOf(client);
  }

  isWatchedBy(client: ChannelClient, name: string): boolean {
    return this.#watchers.isWatchedBy(client, name);
  }

  has({ caller: { rights } }: ChannelClient, name: string): boolean {
    return this.#modules.has(name) && rights.on('view', name, this.#modules.areaOf(name));
  }

  refusalOf({ caller }: ChannelClient, name: string): ProblemError | undefined {
    const mayRead = caller.rights.on('diagnose', name, this.#modules.areaOf(name));
    return mayRead ? undefined : notAllowed(caller, 'diagnose', name);
  }

  watch(client: ChannelClient, names: readonly string[]): undefined {
    for (const name of names) this.#watchers.add(client, name);
    this.#handOn();
  }

  watchAll(client: ChannelClient): undefined {
    finish(this.#watchers.addAll(client));
    this.#handOn();
  }

  unwatch(client: ChannelClient, names: readonly string[]): undefined {
    finish(this.#watchers.remove(client, names, () => this.#modules.names()));
    if (this.#watchers.countOf(client) === 0) this.#skipped.delete(client);
    this.#handOn();
  }

  leave(client: ChannelClient): void {
    this.#skipped.delete(client);
    finish(this.#watchers.leave(client));
    this.#handOn();
  }

  #handOn(): void {
    const watched = this.#watchers.watched();
    const wanted = watched === 'all' ? watched : watched.sort();
    const text = JSON.stringify(wanted);
    if (text === this.#handedOn) return;
    this.#handedOn = text;
    this.#modules.watchLogs(wanted);
  }

  #onLines({ module, lines, skipped }: ModuleLines): void {
    let texts: string | undefined;
    this.#watchers.forEach(module, (client) => {
      if (!this.#mayRead(client, module)) return;
      if (client.pendingBytes > mostPendingBytes) {
        this.#leaveOut(client, lines.length + skipped);
        return;
      }
      texts ??= lines.map((line) => JSON.stringify({ name: module, ...line })).join(',');
      this.#send(client, texts, skipped);
    });
  }

  /** By its rights of now; those of a module that is gone are those of one in no area. */
  #mayRead({ caller: { rights } }: ChannelClient, name: string): boolean {
    const area = this.#modules.areaOf(name);
    return rights.on('view', name, area) && rights.on('diagnose', name, area);
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

/** At once: there are never very many function modules. */
function finish(steps: Iterator<void, void>): void {
  while (steps.next().done !== true);
}
