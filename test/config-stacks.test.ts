// The stacks over HTTP: read-only, with the content that the stacks themselves declare.
import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';
import { Collection, checker, FamilySchemas, familySchemas, Names, Stack } from '@telltale/schema';
import { suiteCleanup, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import simulator from '../stacks/simulator/src/stack.ts';
import { ConfigClient } from './config-client.ts';
import { type ServerProcess, startServer } from './server-process.ts';

const cleanup = suiteCleanup();
const folder = temporaryFolder(cleanup);
let server: ServerProcess;
const client = new ConfigClient(() => server);

before(async () => {
  server = await startServer(cleanup, { data: folder });
});

test('the schemas of the families are there for forms, and are not sent again', async () => {
  const address = `${server.url}/config/v2/schemas`;
  const answer = await fetch(address);
  const found = (await answer.json()) as FamilySchemas;
  assert.deepEqual(checker(FamilySchemas).faults(found), []);
  assert.deepEqual(found, JSON.parse(JSON.stringify(familySchemas())));
  const again = await fetch(address, { headers: { 'if-none-match': answer.headers.get('etag') ?? '' } });
  assert.equal(again.status, 304);
});

for (const role of ['connector', 'provider'] as const) {
  describe(`/stacks/${role}`, () => {
    const path = `/stacks/${role}`;

    test('names are a sorted array', async () => {
      const names = await client.read<string[]>(`${path}/names`);
      assert.deepEqual(checker(Names).faults(names), []);
      assert.deepEqual(names, [...names].sort());
      assert.ok(names.includes('simulator'));
    });

    test('the collection maps each name to its stack, with and without the trailing slash', async () => {
      const collection = await client.read<Record<string, Stack>>(`${path}/`);
      assert.deepEqual(checker(Collection(Stack)).faults(collection), []);
      assert.deepEqual(Object.keys(collection).sort(), await client.read(`${path}/names`));
      assert.deepEqual(await client.read(path), collection);
      for (const [name, stack] of Object.entries(collection)) {
        assert.equal(stack.name, name);
        assert.deepEqual(await client.read(`${path}/${name}`), stack);
      }
    });

    test('a stack is what its module declares: title, parameters, address syntax, defaults', async () => {
      const stack = await client.read<Stack>(`${path}/simulator`);
      assert.deepEqual(stack, JSON.parse(JSON.stringify(simulator[role]?.describe())));
      const { description } = stack;
      assert.ok(description);
      assert.equal(description.title, 'Simulator');
      assert.equal(description.parameters.bus?.default, 'loopback');
      assert.equal(stack.defaults?.bus, 'loopback');
      assert.equal(description.measurement.enabled, true);
      assert.ok(new RegExp(String(description.command.regex)));
      const { doc } = description.measurement;
      assert.ok(doc.length > 0 && doc.every((text) => text !== '' && !text.includes('\n\n')));
      assert.ok(description.command.examples.length > 0);
    });

    test('names= limits the collection and leaves out the unknown', async () => {
      const stack = await client.read(`${path}/simulator`);
      assert.deepEqual(await client.read(`${path}/?names=nothing,simulator,constructor`), { simulator: stack });
      assert.deepEqual(await client.read(`${path}/?names=nothing`), {});
      await client.refused('invalid-query', 'GET', `${path}/?names=a-b`);
      assert.deepEqual(await client.read(`${path}/?names=${Array(5000).fill('a')}`), {});
      await client.refused('invalid-query', 'GET', `${path}/?role=x`);
    });

    test('an unknown stack is 404, and so is an impossible name', async () => {
      for (const name of ['telegraph', '__proto__', 'constructor', 'a-b', '%20', 'a'.repeat(65)]) {
        const { status } = await client.ask('GET', `${path}/${name}`);
        assert.equal(status, 404, name);
      }
    });

    test('nothing can be written', async () => {
      for (const method of ['PUT', 'DELETE', 'POST', 'PATCH']) {
        for (const at of ['', '/', '/names', '/simulator', '/other']) {
          const { status, headers } = await client.ask(method, path + at, { body: { name: 'other' } });
          assert.deepEqual([status, headers.get('allow')], [405, 'GET, HEAD'], `${method} ${at}`);
        }
      }
    });
  });
}

test('there are connector and provider stacks, and no other', async () => {
  for (const path of ['/stacks', '/stacks/', '/stacks/names', '/stacks/simulator', '/stacks/connectors/names']) {
    await client.refused('unknown-path', 'GET', path);
  }
});

test('every answer given here is in the reference of the service', async () => {
  assert.deepEqual(await client.undocumented(), []);
});
