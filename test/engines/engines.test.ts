// What every engine does for a test: it starts, is killed, is frozen, comes back with what it acknowledged, and leaves nothing.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';
import { accepts } from '@telltale/stack-kit/testing';
import type { Scope } from '@telltale/stack-kit/testing/cleanup';
import { Etcd, withoutEtcd } from './etcd.ts';
import { Nats, withoutNats } from './nats.ts';
import { NatsClient } from './nats-client.ts';
import { Patroni, withoutPatroni } from './patroni.ts';
import { Postgres } from './postgres.ts';
import { withoutPostgres } from './postgres-programs.ts';

interface Engine {
  readonly port: number;
  readonly pids: number[];
  readonly folder: string;
  again(): Promise<void>;
  stop(): Promise<void>;
  kill(): Promise<void>;
  freeze(): Promise<void>;
  thaw(): void;
}

interface Running {
  readonly engine: Engine;
  /** Resolves when the engine has acknowledged it. */
  write(value: string): Promise<void>;
  read(): Promise<string[]>;
}

const sql = (ask: (sql: string) => Promise<string>): Omit<Running, 'engine'> => ({
  async write(value) {
    await ask(`CREATE TABLE IF NOT EXISTS kept (value text); INSERT INTO kept VALUES ('${value}')`);
  },
  read: async () => (await ask('SELECT value FROM kept ORDER BY 1')).split('\n'),
});

const engines: Record<string, { skip: string | false; start(scope: Scope): Promise<Running> }> = {
  'PostgreSQL 15': {
    skip: withoutPostgres('15'),
    async start(scope) {
      const engine = await Postgres.start(scope, { version: '15' });
      return { engine, ...sql((text) => engine.query(text)) };
    },
  },
  'PostgreSQL 18': {
    skip: withoutPostgres('18'),
    async start(scope) {
      const engine = await Postgres.start(scope, { version: '18' });
      return { engine, ...sql((text) => engine.query(text)) };
    },
  },
  etcd: {
    skip: withoutEtcd,
    async start(scope) {
      const etcd = await Etcd.start(scope);
      const keys = ['one', 'two'];
      return {
        engine: etcd.members[0] as Engine,
        write: (value) => etcd.put(value, value),
        read: async () => (await Promise.all(keys.map((key) => etcd.get(key)))).filter((each) => each !== undefined),
      };
    },
  },
  // Keeps nothing: what was acknowledged is what a subscriber has got.
  NATS: {
    skip: withoutNats,
    async start(scope) {
      const nats = await Nats.start(scope);
      const engine = nats.servers[0] as Engine;
      const got: string[] = [];
      return {
        engine,
        async write(value) {
          await using client = await NatsClient.connect(engine.port);
          await client.subscribe('kept', (text) => got.push(text));
          await client.publish('kept', value);
        },
        read: async () => got,
      };
    },
  },
  Patroni: {
    skip: withoutPatroni,
    async start(scope) {
      const patroni = await Patroni.start(scope, { nodes: 2 });
      const engine = await patroni.primary();
      return { engine, ...sql(async (text) => (await patroni.primary()).query(text)) };
    },
  },
};

const stateOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.[0];

for (const [name, { skip, start }] of Object.entries(engines)) {
  describe(name, { skip }, () => {
    test('comes back with what it acknowledged after it was killed, frozen and stopped, and leaves nothing', async () => {
      await using scope = new AsyncDisposableStack();
      const { engine, write, read } = await start(scope);
      const { port, folder } = engine;
      await write('one');
      await engine.kill();
      assert.deepEqual([engine.pids, await accepts(port)], [[], false]);
      await engine.again();
      assert.deepEqual(await read(), ['one']);
      await engine.freeze();
      assert.deepEqual([...new Set(engine.pids.map(stateOf))], ['T']);
      assert.ok(await accepts(port));
      const writing = write('two');
      engine.thaw();
      await writing;
      await engine.stop();
      assert.deepEqual([engine.pids, await accepts(port)], [[], false]);
      await engine.again();
      assert.deepEqual(await read(), ['one', 'two']);
      await scope.disposeAsync();
      assert.deepEqual([engine.pids, existsSync(folder)], [[], false]);
    });
  });
}
