// Secrets that the nodes of a site have in common: sealed with the key of whoever leads, and what a node cannot open, it says.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, test } from 'node:test';
import type { NodeSwitch, Operation } from '@telltale/schema';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { Seal } from '../packages/server/src/secrets/index.ts';
import { Etcd, withoutEtcd } from './engines/etcd.ts';
import { put } from './live-plant.ts';
import { Pair, type PairNode, untilSo } from './standby-pair.ts';

const canary = 'canary-in-the-mine';
const newKey = () => randomBytes(32).toString('base64');

/** Of a node that has ended: the secret, as a key opens it; undefined: it does not. */
function secretWith(key: string, { data }: PairNode): string | undefined {
  using sqlite = new DatabaseSync(join(data, 'cfgdb.sqlite'));
  const { vars } = sqlite.prepare("SELECT vars FROM connectors WHERE name = 'remote'").get() as { vars: string };
  try {
    return new Seal([key]).open((JSON.parse(vars) as { password: string }).password).text;
  } catch {
    return undefined;
  }
}

describe('secrets in variables, at two nodes of a site', { skip: withoutEtcd }, () => {
  test('are sealed with a key that the nodes are given, with another one later, and a node without it says so', async (t) => {
    const pair = await Pair.start(t, await Etcd.start(t));
    const [a, b] = pair.nodes;
    const files = temporaryFolder(t);
    const restart = async (node: PairNode, keys: readonly string[]) => {
      const file = join(files, `${node.name}.key`);
      writeFileSync(file, keys.join('\n'), { mode: 0o600 });
      node.args = ['--secret-key-file', file];
      await node.server.end();
      await pair.again(node);
    };
    const waits = async (node: PairNode, problem: RegExp | null) => {
      const other = node === a ? b : a;
      await untilSo(`${node.name} could${problem === null ? '' : ' not'} take over`, async () => {
        const { nodes, role } = await pair.state(other);
        const said = nodes.find(({ name }) => name === node.name)?.['not-ready'];
        return role === 'leading' && (problem === null ? said === null : problem.test(said ?? ''));
      });
    };
    const leads = async (node: PairNode) => {
      const { status, text } = await pair.ask(node === a ? b : a, 'POST', '/node/switch');
      assert.equal(status, 200, text);
      assert.equal((JSON.parse(text) as NodeSwitch).leads, true);
    };
    const sealed = async (node: PairNode, key: string) => {
      await node.server.end();
      assert.equal(secretWith(key, node), canary);
    };

    const operations: Operation[] = [
      put('connectors', 'remote', {
        stackName: 'http',
        vars: { baseUrl: 'http://127.0.0.1:1', user: 'anna', password: canary },
      }),
    ];
    const made = await a.server.send('POST', '/cfgdb/txn?render=1', { operations });
    assert.equal(made.status, 204, await made.text());
    const [first, second] = [newKey(), newKey()];
    await restart(b, [first]);
    await waits(b, null);
    await leads(b);
    await restart(a, [first]);
    await waits(a, null);
    await sealed(a, first);
    await restart(a, [second]);
    await waits(
      a,
      /no key for the secrets of connector remote: put the key of the other node into the file of --secret-key-file/,
    );
    assert.match(await (await fetch(`${a.server.url}/readyz`)).text(), /no key for the secrets of connector remote/);
    const refused = await pair.ask(b, 'POST', '/node/switch');
    assert.match(refused.text, /cannot-switch.*no key for the secrets of connector remote/);
    await restart(a, [second, first]);
    await waits(a, null);
    await leads(a);
    await waits(b, /no key for the secrets of connector remote/);
    await restart(b, [second]);
    await waits(b, null);
    await sealed(b, second);
    await sealed(a, second);
  });

  test('in files are each node’s own: who waits says which it lacks, and takes them', async (t) => {
    const pair = await Pair.start(t, await Etcd.start(t));
    const [a, b] = pair.nodes;
    const vars = { baseUrl: 'http://127.0.0.1:1', user: 'anna', password: 'file:password' };
    const operations: Operation[] = [put('connectors', 'remote', { stackName: 'http', vars })];
    assert.equal((await a.server.send('POST', '/cfgdb/txn?render=1', { operations })).status, 204);
    const notReady = async () => {
      return (await pair.state(a)).nodes.find(({ name }) => name === 'b')?.['not-ready'];
    };
    await untilSo('b says what it lacks', async () => {
      return /lacks secrets in files.*telltale secret set remote password/.test((await notReady()) ?? '');
    });
    const set = await b.server.send('PUT', '/secrets/remote/password', { value: canary });
    assert.equal(set.status, 204, await set.text());
    await untilSo('b could take over', async () => (await notReady()) === null);
  });
});
