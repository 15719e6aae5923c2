// Makes the requests of the crash test: what is sent, how it must be answered, and what it does to the configuration.
// Some must be refused, and do nothing. Each maker has names of its own, so that several can write at the same time.
import type { Family } from '@telltale/schema';
import {
  both,
  canBeRendered,
  type Effect,
  type Model,
  nothing,
  type Objects,
  put,
  putExecutable,
  remove,
  render,
  replace,
} from './crash-model.ts';
import type { SeededRandom } from './seeded-random.ts';

export interface CrashRequest {
  readonly kind: OwnKind | WholeKind;
  readonly method: string;
  readonly path: string;
  /** Bytes where there is a type, else JSON. */
  readonly body?: unknown;
  readonly type?: string;
  readonly status: number;
  readonly effect: Effect;
}

export type OwnKind = keyof typeof ownWeights;
export type WholeKind = keyof typeof wholeWeights;

const ownWeights = {
  put: 50,
  badPut: 4,
  delete: 12,
  deleteMissing: 4,
  transaction: 15,
  badTransaction: 8,
  executable: 7,
};
const wholeWeights = {
  render: 30,
  renderingTransaction: 25,
  restore: 15,
  upload: 18,
  badUpload: 4,
  missingRevision: 2,
};

const families: readonly [Family, ...Family[]] = [
  'measurements',
  'measurements',
  'measurements',
  'commands',
  'alarms',
  'connectors',
  'function-modules',
];
const texts = ['', 'Füllstand', '🏭 "quoted" \\ \n', '__proto__', '\u2028', 'x'.repeat(3000), '0'] as const;
const sqliteType = 'application/x-sqlite3';

/** Makes a database file of these objects. */
export type Packer = (objects: Objects) => Uint8Array;

export class RequestMaker {
  readonly #random: SeededRandom;
  readonly #prefix: string;
  readonly #pack: Packer;

  constructor(random: SeededRandom, prefix: string, pack: Packer) {
    this.#random = random;
    this.#prefix = prefix;
    this.#pack = pack;
  }

  /** A request that touches only the maker's own objects. */
  own(model: Model, kind: OwnKind = this.#random.weighted(ownWeights)): CrashRequest {
    const mine = [...model.objects.keys()].filter((key) => key.split('/')[1]?.startsWith(this.#prefix));
    const [first, ...others] = mine;
    switch (kind) {
      case 'put':
        return this.#put();
      case 'badPut': {
        const { path } = this.#put();
        return {
          kind,
          method: 'PUT',
          path,
          body: { name: path.split('/')[2], severity: -1 },
          status: 400,
          effect: nothing,
        };
      }
      case 'delete': {
        if (first === undefined) return this.#put();
        const key = this.#random.pick([first, ...others]);
        return { kind, method: 'DELETE', path: `/${key}`, status: 204, effect: remove(key) };
      }
      case 'deleteMissing':
        return { kind, method: 'DELETE', path: `/alarms/${this.#prefix}_no`, status: 404, effect: nothing };
      case 'transaction':
      case 'badTransaction':
        return this.#transaction(kind, mine);
      case 'executable':
        return this.#executable(model);
    }
  }

  /** A request about the configuration as a whole; nothing else may run. */
  whole(model: Model, kind: WholeKind = this.#random.weighted(wholeWeights)): CrashRequest {
    switch (kind) {
      case 'render': {
        const force = this.#random.chance(0.3);
        const path = `/cfgdb/render${force ? '?force=1' : ''}`;
        return { kind, method: 'POST', path, ...ifRendered(model, nothing, force) };
      }
      case 'renderingTransaction':
        return this.#renderingTransaction(model);
      case 'restore':
        return this.#restore(model);
      case 'missingRevision':
        return { kind, method: 'POST', path: '/cfgdb/revisions/999999/restore', status: 404, effect: nothing };
      case 'upload':
        return this.#upload(model);
      case 'badUpload': {
        const file = this.#pack(model.objects);
        const body = file.subarray(0, this.#random.between(0, file.length - 1));
        return { kind, method: 'POST', path: '/cfgdb/database', type: sqliteType, body, status: 500, effect: nothing };
      }
    }
  }

  #put(): CrashRequest {
    const { family, object } = this.#object();
    const path = `/${family}/${object.name}`;
    return { kind: 'put', method: 'PUT', path, body: object, status: 204, effect: put(family, object) };
  }

  #transaction(kind: 'transaction' | 'badTransaction', mine: readonly string[]): CrashRequest {
    const { operations, effect } = this.#operations(mine);
    const request = { kind, method: 'POST', path: '/cfgdb/txn', body: { operations } };
    if (kind === 'transaction') return { ...request, status: 204, effect };
    switch (this.#random.pick(['rolledBack', 'missing', 'bad'])) {
      case 'rolledBack':
        return { ...request, path: '/cfgdb/txn?commit=0', status: 204, effect: nothing };
      case 'missing':
        operations.push({ operation: 'delete', family: 'alarms', name: `${this.#prefix}_no` });
        return { ...request, status: 500, effect: nothing };
      default:
        operations.push({ operation: 'put', family: 'alarms', name: 'x', object: { name: 'x' } });
        return { ...request, status: 400, effect: nothing };
    }
  }

  #operations(mine: readonly string[]): { operations: unknown[]; effect: Effect } {
    const operations: unknown[] = [];
    let effect = nothing;
    const deletable = new Set(mine);
    for (let count = this.#random.between(1, 30); count > 0; count--) {
      const [key] = deletable;
      if (key !== undefined && this.#random.chance(0.2)) {
        const [family, name] = key.split('/');
        operations.push({ operation: 'delete', family, name });
        deletable.delete(key);
        effect = both(effect, remove(key));
      } else {
        const { family, object } = this.#object();
        operations.push({ operation: 'put', family, name: object.name, object });
        deletable.add(`${family}/${object.name}`);
        effect = both(effect, put(family, object));
      }
    }
    return { operations, effect };
  }

  /** Often with what is missing, so that there is something to render; sometimes rolled back in the end. */
  #renderingTransaction(model: Model): CrashRequest {
    const { operations, effect: change } = this.#operations([]);
    let effect = change;
    if (this.#random.chance(0.8)) {
      for (const name of missingMeasurements(effect(model).objects)) {
        const object = { name, datatype: 'd' };
        operations.push({ operation: 'put', family: 'measurements', name, object });
        effect = both(effect, put('measurements', object));
      }
    }
    const rollBack = this.#random.chance(0.2);
    const path = `/cfgdb/txn?render=1${rollBack ? '&commit=0' : ''}`;
    const expected = ifRendered(model, effect, true);
    const request = { kind: 'renderingTransaction' as const, method: 'POST', path, body: { operations }, ...expected };
    return rollBack ? { ...request, effect: nothing } : request;
  }

  #restore(model: Model): CrashRequest {
    const [newest, ...older] = model.revisions;
    if (newest === undefined) return this.whole(model, 'render');
    const { id, objects } = this.#random.pick([newest, ...older]);
    const rendering = this.#random.chance(0.5);
    const path = `/cfgdb/revisions/${id}/restore${rendering ? '?render=1' : ''}`;
    const effect = rendering ? both(replace(objects), render(true)) : replace(objects);
    return { kind: 'restore', method: 'POST', path, status: 204, effect };
  }

  /** Some of what there is, and some that is new. */
  #upload(model: Model): CrashRequest {
    let uploaded: Model = { ...model, objects: new Map([...model.objects].filter(() => this.#random.chance(0.7))) };
    for (let count = this.#random.between(0, 20); count > 0; count--) {
      const { family, object } = this.#object();
      uploaded = put(family, object)(uploaded);
    }
    const rendering = this.#random.chance(0.5);
    const request = { kind: 'upload' as const, method: 'POST', type: sqliteType, body: this.#pack(uploaded.objects) };
    if (!rendering) return { ...request, path: '/cfgdb/database', status: 204, effect: replace(uploaded.objects) };
    return { ...request, path: '/cfgdb/database?render=1', ...ifRendered(model, replace(uploaded.objects), true) };
  }

  /** Puts the module whose executable `own` sends. */
  module(): CrashRequest {
    const object = { name: this.#module, termToKill: this.#random.between(0, 9), queryTimeout: 1 };
    const path = `/function-modules/${object.name}`;
    return { kind: 'put', method: 'PUT', path, body: object, status: 204, effect: put('function-modules', object) };
  }

  #executable(model: Model): CrashRequest {
    const path = `/function-modules/${this.#module}/executable`;
    const exists = model.objects.has(`function-modules/${this.#module}`);
    const kind = 'executable';
    if (this.#random.chance(0.15)) {
      const present = exists && model.executables.has(this.#module);
      const effect = present ? putExecutable(this.#module, undefined) : nothing;
      return { kind, method: 'DELETE', path, status: present ? 204 : 404, effect };
    }
    const length = this.#random.between(1, this.#random.pick([1000, 1_000_000, 4_000_000]));
    const body = Buffer.alloc(length, this.#random.bytes(64));
    const type = 'application/octet-stream';
    const effect = exists ? putExecutable(this.#module, body) : nothing;
    return { kind, method: 'PUT', path, body, type, status: exists ? 204 : 404, effect };
  }

  get #module(): string {
    return `${this.#prefix}0`;
  }

  #name(): string {
    return `${this.#prefix}${this.#random.between(0, 12)}`;
  }

  #object(): { family: Family; object: { name: string } } {
    const random = this.#random;
    const family = random.pick(families);
    const name = this.#name();
    const properties = JSON.parse(
      `{"__proto__": "${random.between(0, 9)}", "key": ${JSON.stringify(random.pick(texts))}}`,
    );
    const description = random.pick(texts);
    switch (family) {
      case 'alarms':
        return {
          family,
          object: { name, ...this.#trigger(), severity: random.between(0, 9), properties } as { name: string },
        };
      case 'function-modules':
        return {
          family,
          object: { name, termToKill: random.between(0, 9), queryTimeout: 1, env: properties } as { name: string },
        };
      case 'connectors':
        return { family, object: { name, stackName: 'simulator', properties } as { name: string } };
      default:
        return {
          family,
          object: { name, datatype: 'd', description, enabled: random.chance(0.5) } as { name: string },
        };
    }
  }

  /** Its measurement may or may not exist. */
  #trigger(): object {
    return { trgMeasurement: this.#name(), trgOperator: 'gt', trgRefValue: '5' };
  }
}

/** How a request with rendering is answered: where the result cannot be rendered, nothing of it is done. */
function ifRendered(model: Model, effect: Effect, force: boolean): Pick<CrashRequest, 'status' | 'effect'> {
  const after = effect(model);
  const upToDate = render(false)(after) === after;
  if (upToDate && !force) return { status: 204, effect };
  return canBeRendered(after) ? { status: 204, effect: both(effect, render(force)) } : { status: 500, effect: nothing };
}

function missingMeasurements(objects: Objects): Set<string> {
  const named = [...objects].filter(([key]) => key.startsWith('alarms/'));
  const wanted = named.map(([, text]) => (JSON.parse(text) as { trgMeasurement: string }).trgMeasurement);
  return new Set(wanted.filter((name) => !objects.has(`measurements/${name}`)));
}
