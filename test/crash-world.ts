// One server that is killed again and again, the clients that write to it, and the journal of what was acknowledged.
import assert from 'node:assert/strict';
import { copyFileSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { type Change, type Family, familyNames, type RevisionSummary } from '@telltale/schema';
import type { Scope } from '@telltale/stack-kit/testing/cleanup';
import { canonical, emptyModel, hashOf, type Model, type Objects, sorted, type View, viewOf } from './crash-model.ts';
import { type CrashRequest, RequestMaker } from './crash-requests.ts';
import { insertObject, makeDatabase } from './database-file.ts';
import { SeededRandom } from './seeded-random.ts';
import { type ServerProcess, type StartOptions, startServer } from './server-process.ts';

/** Each client writes objects that begin with its word. */
const words = ['a', 'b', 'c'];
const journalLines = 25;

/** Of the kills, in turn: a restore needs a revision, so it comes last. */
const aims = ['anything', 'upload', 'render', 'renderingTransaction', 'upload', 'executable', 'restore'] as const;
type Aim = (typeof aims)[number];

class Killed extends Error {}

export class CrashWorld {
  readonly #scope: Scope;
  readonly #options: StartOptions;
  readonly #scratch: string;
  readonly #random: SeededRandom;
  readonly #makers: RequestMaker[];
  /** The last lines of it, to be shown where something is wrong. */
  readonly #journal: string[] = [];
  readonly #unanswered = new Set<CrashRequest>();
  /** How long the longer requests of a kind took: a kill is aimed by it. */
  readonly #took = new Map<string, number>();
  /** How many requests of each kind were sent, and how many were cut off: a run that does nothing shows nothing. */
  readonly counts = new Map<string, number>();
  #kills = 0;
  #server: ServerProcess | undefined;
  #killed: Promise<unknown> | undefined;
  #model: Model = emptyModel;

  /**
   * Its server ends with the scope. `scratch` is a path for files that come and go; `template` is a download of an
   * empty configuration.
   */
  constructor(scope: Scope, options: StartOptions, scratch: string, template: Uint8Array, seed: number) {
    this.#scope = scope;
    this.#options = options;
    this.#scratch = scratch;
    this.#random = new SeededRandom(seed);
    const pack = (objects: Objects) =>
      makeDatabase(`${scratch}.upload`, template, (sqlite) => {
        for (const [key, text] of objects) {
          insertObject(sqlite, { family: key.split('/')[0] as Family, object: JSON.parse(text) });
        }
      });
    this.#makers = words.map((word, n) => new RequestMaker(new SeededRandom(seed * 31 + n), word, pack));
  }

  async start(): Promise<void> {
    this.#killed = undefined;
    this.#server = await startServer(this.#scope, this.#options);
    const { status } = await fetch(`${this.#server.url}/readyz`);
    assert.equal(status, 200, `something is missing: ${this.#server.log}`);
  }

  /** Writes until the server is killed: at any moment, or while a request of one kind runs. */
  async writeAndKill(): Promise<void> {
    const random = this.#random;
    const aim = aims[this.#kills++ % aims.length] as Aim;
    const aimedRound = random.between(0, 3);
    if (aim === 'anything') this.#killAfter(random.next() * 500);
    for (let round = 0; this.#killed === undefined; round++) {
      await this.#together(this.#makers.map((maker) => () => this.#burst(maker)));
      const maker = this.#makers[round % this.#makers.length] as RequestMaker;
      const work =
        aim !== 'anything' && round === aimedRound
          ? () => this.#performAndKill(maker, aim)
          : () => this.#perform(maker.whole(this.#model));
      await this.#together([work]);
    }
    await this.#killed;
  }

  /** The kill may come before, during or after the request. */
  async #performAndKill(maker: RequestMaker, aim: Exclude<Aim, 'anything'>): Promise<void> {
    if (aim === 'executable') await this.#perform(maker.module());
    const request = aim === 'executable' ? maker.own(this.#model, aim) : maker.whole(this.#model, aim);
    this.#killAfter(this.#random.next() * 1.2 * (this.#took.get(request.kind) ?? 50));
    await this.#perform(request);
  }

  /** The file that the killed server left is a sound database, its write-ahead log included. */
  checkIntegrity(): void {
    const copy = `${this.#scratch}.copy`;
    for (const end of ['', '-wal']) {
      const file = join(this.#options.data, `cfgdb.sqlite${end}`);
      if (existsSync(file)) copyFileSync(file, copy + end);
    }
    const sqlite = new DatabaseSync(copy);
    try {
      assert.deepEqual(sqlite.prepare('PRAGMA integrity_check').all().map(Object.values), [['ok']]);
    } finally {
      sqlite.close();
      for (const end of ['', '-wal', '-shm']) rmSync(copy + end, { force: true });
    }
  }

  /** What was acknowledged is there; of each request that was cut off, all or nothing is; and nothing else. */
  async check(): Promise<void> {
    const seen = await this.#observe();
    const unanswered = [...this.#unanswered];
    this.#unanswered.clear();
    const possible = Array.from({ length: 2 ** unanswered.length }, (_, choice) =>
      unanswered.reduce((model, { effect }, index) => ((choice >> index) & 1 ? effect(model) : model), this.#model),
    );
    const found = possible.find((model) => isDeepStrictEqual(seen, viewOf(model)));
    if (found === undefined) {
      for (const request of unanswered) this.#note(`no answer: ${describe(request)}`);
      assert.deepEqual(seen, viewOf(this.#model), `the server shows something else\n${this.#tail()}`);
    }
    this.#model = found ?? this.#model;
    const happened = unanswered.filter((_, index) => (possible.indexOf(this.#model) >> index) & 1);
    this.#count('cut off', unanswered.length);
    this.#count('cut off after it had happened', happened.length);
    this.#note(`killed; cut off: ${unanswered.map(({ kind }) => kind)}; happened: ${happened.map(({ kind }) => kind)}`);
    this.#checkFolders();
  }

  /** Every revision that is kept, not just the newest. */
  async checkRevisions(): Promise<void> {
    for (const { id, objects } of this.#model.revisions) {
      assert.deepEqual((await this.#revision(id)).objects, sorted(objects), `revision ${id}\n${this.#tail()}`);
    }
  }

  async stop(): Promise<void> {
    const ended = await this.#server?.end();
    assert.deepEqual([ended?.code, ended?.stderr], [0, '']);
  }

  async #burst(maker: RequestMaker): Promise<void> {
    for (let count = this.#random.between(1, 5); count > 0; count--) await this.#perform(maker.own(this.#model));
  }

  async #together(works: readonly (() => Promise<void>)[]): Promise<void> {
    const results = await Promise.allSettled(works.map((work) => work()));
    for (const result of results) {
      if (result.status === 'rejected' && !(result.reason instanceof Killed)) throw result.reason;
    }
  }

  #killAfter(delayMs: number): void {
    setTimeout(delayMs).then(() => {
      this.#killed = this.#server?.end('SIGKILL');
    });
  }

  async #perform(request: CrashRequest): Promise<void> {
    if (this.#killed !== undefined) throw new Killed();
    this.#unanswered.add(request);
    this.#count(request.kind, 1);
    const sentAt = performance.now();
    const response = await this.#send(request).catch((error: Error) => {
      if (this.#killed === undefined) throw new Error(`${describe(request)}: ${this.#tail()}`, { cause: error });
      throw new Killed();
    });
    if (response.status !== request.status) {
      const body = await response.text().catch(() => '');
      assert.fail(`${describe(request)} was answered by ${response.status} ${body}\n${this.#tail()}`);
    }
    this.#unanswered.delete(request);
    this.#model = request.effect(this.#model);
    const before = this.#took.get(request.kind) ?? 0;
    this.#took.set(request.kind, Math.max(performance.now() - sentAt, before * 0.8));
    this.#note(`${response.status} ${describe(request)}`);
    await response.arrayBuffer().catch(() => undefined);
  }

  #send({ method, path, body, type }: CrashRequest): Promise<Response> {
    const server = this.#server as ServerProcess;
    return type === undefined
      ? server.send(method, path, body)
      : server.sendBytes(method, path, type, body as Uint8Array);
  }

  async #read<Body>(path: string): Promise<Body> {
    const response = await (this.#server as ServerProcess).get(path);
    assert.equal(response.status, 200, path);
    return (await response.json()) as Body;
  }

  async #observe(): Promise<View> {
    const collections = await Promise.all(familyNames.map((family) => this.#read<object>(`/${family}/`)));
    const objects = toObjects(Object.fromEntries(familyNames.map((family, index) => [family, collections[index]])));
    const { changes } = await this.#read<{ changes: Change[] }>('/cfgdb/diff');
    const revisions = await this.#read<RevisionSummary[]>('/cfgdb/revisions');
    const modules = Object.keys(await this.#read<object>('/function-modules/')).sort();
    return {
      objects,
      upToDate: (await this.#read<{ up_to_date: boolean }>('/cfgdb/render')).up_to_date,
      differences: changes.map(toLine),
      revisions: revisions.map(toSummary),
      newest: revisions[0] && (await this.#revision(revisions[0].id)),
      executables: Object.fromEntries(
        await Promise.all(modules.map(async (name) => [name, await this.#executable(name)])),
      ),
    };
  }

  async #revision(id: number): Promise<NonNullable<View['newest']>> {
    const revision = await this.#read<{ changes: Change[]; configuration: Record<string, object> }>(
      `/cfgdb/revisions/${id}?configuration=1`,
    );
    return { objects: toObjects(revision.configuration), changes: revision.changes.map(toLine) };
  }

  async #executable(module: string): Promise<string | undefined> {
    const response = await (this.#server as ServerProcess).get(`/function-modules/${module}/executable`);
    const bytes = Buffer.from(await response.arrayBuffer());
    if (response.status === 200) return hashOf(bytes);
    assert.equal(response.status, 404, bytes.toString());
    return undefined;
  }

  #checkFolders(): void {
    const { data } = this.#options;
    assert.deepEqual(readdirSync(join(data, 'temporary')), []);
    assert.deepEqual(readdirSync(join(data, 'executables', '.incoming')), []);
    assert.deepEqual(
      readdirSync(data).filter((name) => name.includes('incoming')),
      [],
    );
  }

  #count(what: string, more: number): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + more);
  }

  #note(line: string): void {
    this.#journal.push(line);
    if (this.#journal.length > journalLines) this.#journal.shift();
  }

  #tail(): string {
    return this.#journal.join('\n');
  }
}

function describe({ kind, method, path, body }: CrashRequest): string {
  const text = body instanceof Uint8Array ? `${body.length} bytes` : (JSON.stringify(body) ?? '');
  return `${kind} ${method} ${path} ${text.slice(0, 200)}`;
}

function toObjects(collections: Record<string, object | undefined>): Record<string, string> {
  const entries = Object.entries(collections).flatMap(([family, collection]) =>
    Object.entries(collection ?? {}).map(([name, object]): [string, string] => [
      `${family}/${name}`,
      canonical(object),
    ]),
  );
  return sorted(new Map(entries));
}

function toLine({ change, family, name }: Change): string {
  return `${change} ${family}/${name}`;
}

function toSummary({ id, objects, added, changed, removed }: RevisionSummary): string {
  const count = Object.values(objects ?? {}).reduce((sum: number, of) => sum + Number(of), 0);
  return `${id}: ${count} objects, +${added} ~${changed} -${removed}`;
}
