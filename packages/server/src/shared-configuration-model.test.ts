// Nodes of a site that lead in turn, whatever is changed, refused, lost on the way and begun anew: each has what was acknowledged, and
// who waits has what was acknowledged last. etcd is a map here; `test/standby-configuration.test.ts` has the real one.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { familyNames, ProblemError, systemClock } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import fc from 'fast-check';
import pino from 'pino';
import { modelStack } from '../test/configuration-model.ts';
import { anyStep, type Step } from '../test/configuration-steps.ts';
import { transact } from '../test/transact.ts';
import { Configuration } from './cfgdb/configuration.ts';
import { generate } from './cfgdb/generate.ts';
import type { Rename, SiteBytes } from './cfgdb/index.ts';
import { readObject, type StoredObject } from './cfgdb/read-objects.ts';
import { SiteSharing } from './cfgdb/shared/site-sharing.ts';
import type { RoleRules } from './cfgdb/stack-rules.ts';
import { SharedConfiguration } from './shared-configuration.ts';
import type { SiteValue } from './standby/index.ts';

const folder = temporaryFolder(suiteCleanup());
let files = 0;
const anything: RoleRules = { readVariables: () => ({ faults: [] }), checkAddress: () => undefined };
const stacks = [{ name: modelStack, connector: anything, provider: anything }];
const log = pino({ enabled: false });

type SiteStep =
  | Step
  | {
      readonly kind: 'rename';
      readonly family: Rename['family'];
      readonly from: string;
      readonly to: string;
      readonly render: boolean;
    }
  | { readonly kind: 'discard' | 'generate' | 'switch' | 'join' | 'fail' | 'fail late' };

const names = fc.constantFrom('a', 'b', 'constructor', 'pump1', 'pump2');
const anySiteStep: fc.Arbitrary<SiteStep> = fc.oneof(
  { weight: 12, arbitrary: anyStep },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('rename' as const),
      family: fc.constantFrom<Rename['family']>('measurements', 'commands', 'alarms'),
      from: names,
      to: names,
      render: fc.boolean(),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constantFrom('discard', 'generate', 'switch', 'join', 'fail', 'fail late'),
    }) as fc.Arbitrary<SiteStep>,
  },
);

const typical = {
  type: { name: 'pumps', parameters: { id: {} }, objects: { alarms: { '{id}': { severity: 1 } } } },
  instances: [{ id: 'pump1' }, { id: 'pump2' }],
};

class Node {
  readonly path = join(folder, `${++files}.sqlite`);
  readonly site: SharedConfiguration;
  readonly #world: World;
  configuration: Configuration;

  /** A foreign one has something else. */
  constructor(world: World, isForeign = false) {
    this.#world = world;
    if (isForeign) {
      const alone = new Configuration({ path: this.path, stacks, now: () => ++world.timeUs });
      alone.put('alarms', 'foreign', Buffer.from('{"name":"foreign","severity":3}'), 'zoe');
      alone.render({ force: true }, 'zoe');
      alone.close();
    }
    this.configuration = this.#open();
    const call = async (method: string, ...args: unknown[]) => {
      const { configuration } = this;
      if (method === 'beginSharing') return void [...configuration.beginningToShare(args[0] as never)];
      try {
        return (configuration as unknown as Record<string, (...args: unknown[]) => unknown>)[method]?.(...args);
      } finally {
        configuration.takeRendered();
      }
    };
    const cfgdb = { call, adoptWhole: (bytes: Uint8Array) => call('adoptWhole', bytes), figures: undefined };
    const node = { refusal: undefined, shareBytes: () => undefined };
    this.site = new SharedConfiguration({
      cfgdb: cfgdb as never,
      node,
      lacks: { look: async () => {} },
      clock: systemClock,
      log,
    });
  }

  #open(): Configuration {
    const sharing = new SiteSharing((entries) => this.#world.store(this, entries));
    return new Configuration({ path: this.path, stacks, now: () => ++this.#world.timeUs, sharing });
  }

  reopen(): void {
    this.configuration.close();
    this.configuration = this.#open();
  }

  /** What somebody finds here; and that memory and file agree. */
  get all(): unknown {
    const { configuration } = this;
    const shown = (json: Uint8Array) => Buffer.from(json).toString();
    const revisions = configuration.revisions();
    return {
      digest: configuration.digest(),
      families: familyNames.map((family) => shown(configuration.list(family))),
      diff: shown(configuration.diff()),
      made: [...configuration.made.all()],
      revisions: revisions.map(({ id }) => shown(configuration.revision(id, { configuration: true }))),
      running: configuration.figures().running,
    };
  }
}

class World {
  readonly etcd = new Map<string, Buffer>();
  timeUs = 1_700_000_000_000_000;
  leader: Node = new Node(this);
  other: Node = new Node(this);
  #fails: 'not stored' | 'stored' | undefined;

  store(node: Node, entries: readonly SiteBytes[]): void {
    assert.ok(node === this.leader, 'who does not lead stores nothing');
    const fails = this.#fails;
    this.#fails = undefined;
    if (fails !== 'not stored') {
      for (const { family, name, bytes } of entries) {
        if (bytes === undefined) this.etcd.delete(`${family} ${name}`);
        else this.etcd.set(`${family} ${name}`, Buffer.from(bytes));
      }
    }
    if (fails !== undefined) throw new ProblemError('storage-failed', 'etcd has not acknowledged it.');
  }

  async follow(node: Node, isAll: boolean): Promise<void> {
    const values: SiteValue[] = Array.from(this.etcd, ([key, bytes]) => {
      const [family = '', name = ''] = key.split(' ');
      return { family, name, read: async () => Buffer.from(bytes) };
    });
    await node.site.take(values, isAll);
    await node.site.taken();
  }

  async take(step: SiteStep): Promise<void> {
    const { leader } = this;
    if (step.kind === 'switch') {
      await this.follow(this.other, false);
      [this.leader, this.other] = [this.other, leader];
      leader.reopen();
      await this.leader.site.begin();
      await this.follow(this.other, true);
    } else if (step.kind === 'join') {
      this.other.configuration.close();
      this.other = new Node(this, true);
    } else if (step.kind === 'fail' || step.kind === 'fail late') {
      this.#fails = step.kind === 'fail' ? 'not stored' : 'stored';
      const before = this.leader.all;
      assert.throws(
        () =>
          leader.configuration.put(
            'alarms',
            'failing',
            Buffer.from(`{"name":"failing","severity":${this.timeUs % 1000}}`),
            'ann',
          ),
        /storage-failed|not acknowledged/,
      );
      assert.deepEqual({ ...(this.leader.all as object) }, before, 'nothing of it is here');
      leader.configuration.settleSharing();
    } else this.#change(step);
    leader.configuration.takeRendered();
  }

  #change(step: SiteStep): void {
    const { configuration } = this.leader;
    const bytes = (value: unknown) => Buffer.from(JSON.stringify(value));
    try {
      if (step.kind === 'put') configuration.put(step.family, step.name, bytes(step.object), step.author);
      else if (step.kind === 'delete') configuration.delete(step.family, step.name, step.author);
      else if (step.kind === 'transaction') {
        transact(configuration, bytes({ operations: step.operations }), step, step.author);
      } else if (step.kind === 'render') configuration.render(step, step.author);
      else if (step.kind === 'restore') {
        const ids = configuration.revisions();
        configuration.restore(ids[step.at % (ids.length + 1)]?.id ?? 9999, step, step.author);
      } else if (step.kind === 'replace') {
        const objects = step.objects.map(({ family, name, object }) => readObject(family, name, object, '', []));
        configuration.replace({ objects: objects as StoredObject[], made: [] }, step, step.author);
      } else if (step.kind === 'rename') configuration.rename(step, { ...step, commit: true }, 'ann');
      else if (step.kind === 'discard') configuration.discard({}, { commit: true }, 'ann');
      else if (step.kind === 'generate') {
        const options = { dryRun: false, render: this.timeUs % 2 === 0, deleteMissing: false, overwrite: false };
        void [...generate(configuration, bytes(typical), options, 'ann')]; // in steps
      } else if (step.kind === 'reopen') void [...configuration.beginningToShare(undefined)];
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
    }
  }

  close(): void {
    for (const node of [this.leader, this.other]) {
      node.site.close();
      node.configuration.close();
    }
  }
}

test('whoever waits has what was acknowledged, whatever is changed, refused and lost, and goes on with it', async () => {
  const kinds = new Set<string>();
  await fc.assert(
    fc.asyncProperty(fc.array(anySiteStep, { minLength: 20, maxLength: 60 }), async (steps) => {
      const world = new World();
      try {
        await world.leader.site.begin();
        for (const step of steps) {
          await world.take(step);
          kinds.add(step.kind);
          await world.follow(world.other, false);
          assert.deepEqual(world.other.site.degraded, []);
          assert.deepEqual(world.other.all, world.leader.all, step.kind);
        }
        world.other.reopen();
        assert.deepEqual(world.other.all, world.leader.all, 'on disk');
        assert.ok(world.etcd.size < 190, `etcd has ${world.etcd.size} entries`);
      } finally {
        world.close();
      }
    }),
    { numRuns: Number(process.env.MODEL_RUNS ?? 8) },
  );
  assert.ok(kinds.size >= 12, `too few kinds: ${[...kinds]}`);
});

test('of more renderings than are kept, and more changes than the log has, a node that joins has everything', async () => {
  const world = new World();
  try {
    await world.leader.site.begin();
    for (let at = 0; at < 150; at++) {
      const object = { name: `m${at % 5}`, datatype: 'd', description: String(at) };
      const operations = [{ operation: 'put' as const, family: 'measurements' as const, name: object.name, object }];
      await world.take({
        kind: 'transaction',
        operations,
        commit: true,
        render: at < 140 || at % 3 > 0,
        author: 'ann',
      });
      if (at % 10 !== 9 || at < 65) continue;
      if (at % 20 === 9) await world.take({ kind: 'join' });
      await world.follow(world.other, at % 40 === 19);
      assert.deepEqual(world.other.all, world.leader.all, `after ${at} changes`);
      await world.take({ kind: 'switch' });
    }
    assert.ok(world.etcd.size < 190, `etcd has ${world.etcd.size} entries`);
  } finally {
    world.close();
  }
});
