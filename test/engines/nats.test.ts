import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { until } from '@telltale/stack-kit/testing';
import { Authority, withoutOpenssl } from './authority.ts';
import { Nats, type NatsServer, withoutNats } from './nats.ts';
import { NatsClient, type NatsClientOptions } from './nats-client.ts';

describe('NATS', { skip: withoutNats }, () => {
  test('passes messages between servers, one of which may be gone, and keeps none', async (t) => {
    const nats = await Nats.start(t, { servers: 3 });
    const [first, second, third] = nats.servers as [NatsServer, NatsServer, NatsServer];
    assert.deepEqual(await Promise.all(nats.servers.map((server) => server.routes())), [2, 2, 2]);
    assert.equal(((await first.monitor('jsz')) as { disabled?: boolean }).disabled, true);
    await second.kill();
    await using subscriber = await NatsClient.connect(first.port);
    const got: string[] = [];
    await subscriber.subscribe('a.*', (text) => got.push(text));
    await using publisher = await NatsClient.connect(third.port);
    await until('a message passes', async () => {
      await publisher.publish('a.b', 'there');
      return got.includes('there');
    });
    await second.again();
    assert.deepEqual(await Promise.all(nats.servers.map((server) => server.routes())), [2, 2, 2]);
  });

  test('permits what its configuration says, over TLS, and no longer what was taken from it', {
    skip: withoutOpenssl,
  }, async (t) => {
    const authority = new Authority(t);
    const users = (...names: string[]) => {
      const user = (name: string) =>
        `{ user: "CN=${name}", permissions: { publish: "up.${name}.>", subscribe: "down.${name}.>" } }`;
      return `authorization { users: [${names.map(user).join(', ')}] }`;
    };
    const nats = await Nats.start(t, {
      servers: 3,
      authority,
      tls: 'verify_and_map: true',
      configuration: users('north', 'south'),
    });
    const port = nats.servers[0]?.port ?? 0;
    const north = { authority, pair: authority.issue('north') };
    const client = await NatsClient.connect(port, north);
    t.after(() => client[Symbol.asyncDispose]());
    await client.publish('up.north.1', 'mine');
    assert.deepEqual(client.errors, []);
    await client.publish('up.south.1', 'not mine');
    await client.subscribe('>', () => {});
    assert.match(client.errors.join(), /Permissions Violation for Publish.*Permissions Violation for Subscription/);
    const refused = async (options: NatsClientOptions) => assert.rejects(NatsClient.connect(port, options));
    await refused({ authority });
    await refused({ authority, pair: authority.issue('nobody') });
    await refused({ authority, pair: new Authority(t, 'another').issue('north') });
    await nats.configure(users('south'));
    await until('the connection ends', () => !client.isOpen);
    await refused(north);
  });
});
