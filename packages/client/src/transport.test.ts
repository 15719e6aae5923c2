import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createNetServer } from 'node:net';
import { describe, type TestContext, test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { ManualClock } from '@telltale/schema/testing';
import { cleanupOf } from '@telltale/stack-kit/testing/cleanup';
import { TelltaleProblem, Unreachable } from './errors.ts';
import { readMetrics } from './service-access.ts';
import { TelltaleClient } from './telltale-client.ts';

async function serve(t: TestContext, listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const failsWith = (check: (error: Unreachable) => void) => (error: unknown) => {
  assert.ok(error instanceof Unreachable, String(error));
  check(error);
  return true;
};

describe('a request over HTTP', () => {
  test('that nobody takes is Unreachable, and did not happen', async () => {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    await new Promise((resolve) => server.close(resolve));
    const nobody = new TelltaleClient({ url: `http://127.0.0.1:${port}` });
    await assert.rejects(
      nobody.commands.write('pump', 'b1'),
      failsWith((error) => {
        assert.equal(error.mayHaveHappened, false);
        assert.match(error.message, /ECONNREFUSED.*Check that it runs/);
      }),
    );
  });

  test('whose body cannot be read to its end fails for that reason, and is not Unreachable', async (t) => {
    let wholeBodies = 0;
    const url = await serve(t, (request, response) => {
      request
        .on('error', () => undefined)
        .on('end', () => {
          wholeBodies++;
          response.writeHead(204).end();
        });
      request.resume();
    });
    const unreadable = new Error('EIO: i/o error, read');
    async function* chunks() {
      yield new Uint8Array(1000);
      throw unreadable;
    }
    const body = ReadableStream.from(chunks()) as ReadableStream<Uint8Array<ArrayBuffer>>;
    await assert.rejects(
      new TelltaleClient({ url }).configuration.uploadDatabase(body),
      (error) => error === unreadable,
    );
    assert.equal(wholeBodies, 0);
  });

  test('that cannot be put into words is refused before anything is sent, and is not Unreachable', async (t) => {
    let requests = 0;
    const url = await serve(t, (_, response) => {
      requests++;
      response.writeHead(204).end();
    });
    const client = new TelltaleClient({ url });
    for (const write of [
      () => client.commands.write('name', 's\ud800'),
      () => client.measurements.simulate('level', 'sa\udc00b'),
    ]) {
      await assert.rejects(write, (error) => {
        assert.ok(error instanceof TelltaleProblem, String(error));
        assert.deepEqual([error.problem, error.status], ['invalid-value', 400]);
        assert.match(error.detail, /half a surrogate pair.*Nothing was sent/);
        return true;
      });
    }
    const circle: Record<string, unknown> = {};
    circle.circle = circle;
    await assert.rejects(client.configuration.put('alarms', 'a', circle as never), TypeError);
    await client.commands.write('name', 's💧');
    assert.equal(requests, 1);
  });

  test('a write without an answer may have happened, a read has not', async (t) => {
    const { promise: heard, resolve: isHeard } = Promise.withResolvers<void>();
    const url = await serve(t, (request) => {
      isHeard();
      if (request.method === 'GET') request.socket.destroy();
    });
    const client = new TelltaleClient({ url, timeoutMs: 50 });
    const write = client.commands.write('pump', 'b1');
    await heard;
    await assert.rejects(
      write,
      failsWith((error) => {
        assert.equal(error.mayHaveHappened, true);
        assert.match(error.message, /not known whether/);
      }),
    );
    await assert.rejects(
      client.commands.get('pump'),
      failsWith((error) => assert.equal(error.mayHaveHappened, false)),
    );
  });

  describe('on a connection that the service closes just then', () => {
    /** Each connection has so many answers, and is closed at the next request; the requests, by method and connection. */
    async function servePart(t: TestContext, answers: number): Promise<{ url: string; heard: string[] }> {
      const heard: string[] = [];
      let connections = 0;
      const server = createNetServer((socket) => {
        const number = ++connections;
        let left = answers;
        socket.on('error', () => undefined);
        socket.on('data', (chunk) => {
          const [method] = String(chunk).split(' ');
          heard.push(`${method} on ${number}`);
          if (left-- > 0) socket.write('HTTP/1.1 200 OK\r\nContent-Length: 2\r\nKeep-Alive: timeout=20\r\n\r\n{}');
          else socket.destroy();
        });
        cleanupOf(t).defer(() => void socket.destroy());
      }).listen(0, '127.0.0.1');
      await once(server, 'listening');
      cleanupOf(t).defer(() => void server.close());
      return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, heard };
    }

    test('a read is asked once more, on another one', async (t) => {
      const { url, heard } = await servePart(t, 1);
      const client = new TelltaleClient({ url });
      for (let count = 0; count < 3; count++) {
        assert.deepEqual({ ...(await client.measurements.list()) }, {});
        await nextTurn(); // the connection is kept from then on
      }
      assert.deepEqual(heard, ['GET on 1', 'GET on 1', 'GET on 2', 'GET on 2', 'GET on 3']);
    });

    test('a write is not: it may have happened', async (t) => {
      const { url, heard } = await servePart(t, 1);
      const client = new TelltaleClient({ url });
      await client.measurements.list();
      await nextTurn();
      await assert.rejects(
        client.commands.write('pump', 'b1'),
        failsWith((error) => assert.equal(error.mayHaveHappened, true)),
      );
      assert.deepEqual(heard, ['GET on 1', 'PUT on 1']);
    });

    test('and the next one as well, a read is Unreachable', async (t) => {
      const { url, heard } = await servePart(t, 0);
      await assert.rejects(new TelltaleClient({ url }).measurements.list(), Unreachable);
      assert.deepEqual(heard, ['GET on 1', 'GET on 2']);
    });
  });

  test('carries the token, whatever it asks; without one it says nothing of who asks', async (t) => {
    const heard: (string | undefined)[] = [];
    const url = await serve(t, ({ headers }, response) => {
      heard.push(headers.authorization);
      response.writeHead(204).end();
    });
    const client = new TelltaleClient({ url, token: 'secret' });
    await client.commands.write('pump', 'b1');
    await client.configuration.putExecutable('loop', new Uint8Array([1]));
    await client.configuration.delete('alarms', 'fire');
    await new TelltaleClient({ url }).functionModules.start('loop');
    assert.deepEqual(heard, ['Bearer secret', 'Bearer secret', 'Bearer secret', undefined]);
  });

  test('ends with its signal, by the reason of the signal', async (t) => {
    const client = new TelltaleClient({ url: await serve(t, () => undefined) });
    const ending = new AbortController();
    const read = client.alarms.list({ signal: ending.signal });
    ending.abort(new Error('enough'));
    await assert.rejects(read, /^Error: enough$/);
    await assert.rejects(client.alarms.list({ signal: ending.signal }), /^Error: enough$/);
  });

  test('answered by the page of some proxy is a problem with that status', async (t) => {
    const url = await serve(t, (_, response) => {
      response.writeHead(502, { 'content-type': 'text/html' }).end(`<html>\n${'x'.repeat(5000)}`);
    });
    await assert.rejects(new TelltaleClient({ url }).alarms.list(), (error: TelltaleProblem) => {
      assert.ok(error instanceof TelltaleProblem);
      assert.deepEqual([error.status, error.problem, error.type], [502, '', 'about:blank']);
      assert.ok(error.detail.length <= 200);
      return true;
    });
  });

  test('answered by what is not Telltale is Unreachable', async (t) => {
    const url = await serve(t, (_, response) => {
      response.end('welcome to this router');
    });
    await assert.rejects(
      new TelltaleClient({ url }).measurements.list(),
      failsWith((error) => assert.match(error.message, /is not Telltale/)),
    );
  });

  test('answered by JSON that is no object is Unreachable too', async (t) => {
    const url = await serve(t, (_, response) => {
      response.end('null');
    });
    const client = new TelltaleClient({ url });
    for (const read of [client.measurements.list(), client.configuration.isUpToDate(), client.service.version()]) {
      await assert.rejects(read, Unreachable);
    }
  });

  test('a write that leads elsewhere, or is answered by a page, is never taken for done', async (t) => {
    const paths: (string | undefined)[] = [];
    const url = await serve(t, (request, response) => {
      paths.push(request.url);
      if (request.url?.startsWith('/data/')) response.writeHead(303, { location: '/login' }).end();
      else response.end('<html>who are you?');
    });
    const client = new TelltaleClient({ url });
    const unknown = failsWith((error) => assert.equal(error.mayHaveHappened, true));
    await assert.rejects(client.commands.write('pump', 'b1'), unknown);
    await assert.rejects(client.configuration.render(), unknown);
    assert.deepEqual(paths, ['/data/commands/pump?value=b1', '/config/v2/cfgdb/render']);
  });

  test('bytes may take long while they go on, and are given up when they stand still', async (t) => {
    const clock = new ManualClock();
    const url = await serve(t, (request, response) => {
      if (request.method === 'GET') response.write('SQLite');
      else request.resume().on('end', () => response.writeHead(204).end());
    });
    const { configuration } = new TelltaleClient({ url, timeoutMs: 1000, clock });
    const { stream } = await configuration.downloadDatabase();
    const reader = stream.getReader();
    assert.equal((await reader.read()).value?.length, 6);
    const stuck = reader.read();
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1000);
    await assert.rejects(
      stuck,
      failsWith((error) => assert.match(error.message, /within 1 s/)),
    );

    async function* slowly() {
      for (let chunk = 0; chunk < 20; chunk++) {
        yield new Uint8Array(10);
        clock.advance(200);
      }
    }
    await configuration.uploadDatabase(ReadableStream.from(slowly()) as ReadableStream<Uint8Array<ArrayBuffer>>);
    async function* never() {
      yield new Uint8Array(10);
      for (let turn = 0; turn < 50; turn++) {
        await new Promise((resolve) => setImmediate(resolve));
        clock.advance(100);
      }
      await new Promise(() => undefined);
    }
    const upload = configuration.uploadDatabase(
      ReadableStream.from(never()) as ReadableStream<Uint8Array<ArrayBuffer>>,
    );
    await assert.rejects(upload, Unreachable);
    assert.equal(clock.pending, 0);
  });

  test('a download that breaks off is Unreachable', async (t) => {
    const url = await serve(t, (_, response) => {
      response.writeHead(200, { 'content-length': 1000 });
      response.write('SQLite', () => response.destroy());
    });
    const { stream, length } = await new TelltaleClient({ url }).configuration.downloadDatabase();
    assert.equal(length, 1000);
    await assert.rejects(async () => {
      for await (const chunk of stream) assert.ok(chunk.length > 0);
    }, Unreachable);
  });

  test('a download ends with its signal, by the reason of the signal', async (t) => {
    const url = await serve(t, (_, response) => {
      response.write('SQLite');
    });
    const ending = new AbortController();
    const { stream } = await new TelltaleClient({ url }).configuration.downloadDatabase({ signal: ending.signal });
    const reader = stream.getReader();
    assert.equal((await reader.read()).value?.length, 6);
    const rest = reader.read();
    ending.abort(new Error('enough'));
    await assert.rejects(rest, /^Error: enough$/);
  });

  test('a name that no object can have never leaves', async (t) => {
    const paths: (string | undefined)[] = [];
    const url = await serve(t, (request, response) => {
      paths.push(request.url);
      response.end('{}');
    });
    const client = new TelltaleClient({ url });
    for (const name of ['..', '.', 'a/b', 'a,b', '', '%2e%2e', 'x'.repeat(65), '--help']) {
      await assert.rejects(client.configuration.delete('measurements', name), { problem: 'invalid-name' });
      await assert.rejects(client.measurements.get(name), { problem: 'unknown-object' });
      await assert.rejects(client.alarms.acknowledge(name), { problem: 'invalid-name' });
      assert.deepEqual(Object.keys(await client.measurements.list({ names: [name] })), []);
    }
    assert.deepEqual(paths, []);
  });

  test('a list of any number of names is asked for in parts, each once', async (t) => {
    const names = Array.from({ length: 5000 }, (_, number) => `measurement_${number}`);
    let requests = 0;
    const url = await serve(t, (request, response) => {
      requests++;
      const asked = new URL(request.url ?? '', 'http://x').searchParams.get('names')?.split(',') ?? [];
      response.end(JSON.stringify(Object.fromEntries(asked.map((name) => [name, { name }]))));
    });
    const found = await new TelltaleClient({ url }).measurements.list({
      names: [...names, ...names],
      fields: ['name'],
    });
    assert.deepEqual(Object.keys(found), names);
    assert.ok(requests > 1 && requests < 50);
  });

  test('what is not in a collection is undefined, whatever its name', async (t) => {
    const url = await serve(t, (_, response) => {
      response.end('{"__proto__": {"name": "__proto__"}}');
    });
    const collection = await new TelltaleClient({ url }).measurements.list();
    assert.equal(collection.constructor, undefined);
    assert.deepEqual(Object.entries(collection), [['__proto__', { name: '__proto__' }]]);
    const named = await new TelltaleClient({ url }).measurements.list({ names: ['__proto__', 'toString'] });
    assert.deepEqual(Object.keys(named), ['__proto__']);
    assert.equal(named.toString, undefined);
  });
});

describe('the addresses', () => {
  test('follow from the one of the service, and can be given each', async (t) => {
    const paths: (string | undefined)[] = [];
    const url = await serve(t, (request, response) => {
      paths.push(request.url);
      response.end('{}');
    });
    const client = new TelltaleClient({ url: `${url}/plant?x#y` });
    await client.measurements.list();
    await client.configuration.list('alarms');
    await client.service.ready();
    assert.deepEqual(paths, ['/plant/data/measurements', '/plant/config/v2/alarms', '/plant/readyz']);
    assert.equal(client.wsUrl, `${url.replace('http', 'ws')}/plant/data/ws`);
    const other = new TelltaleClient({ url, base: `${url}/a`, configBase: `${url}/b/`, wsUrl: 'wss://plant/c' });
    await other.commands.list();
    await other.configuration.revisions();
    assert.deepEqual(paths.slice(3), ['/a/commands', '/b/cfgdb/revisions']);
    assert.equal(other.wsUrl, 'wss://plant/c');
  });

  test('that are none are refused', () => {
    for (const url of ['plant', 'file:///etc/passwd', '']) assert.throws(() => new TelltaleClient({ url }), TypeError);
    for (const wsUrl of ['plant', 'file:///etc/passwd', '']) {
      assert.throws(() => new TelltaleClient({ wsUrl }), TypeError);
    }
  });
});

test('metrics are read with their labels; anything else is passed over', () => {
  const text = '# HELP up x\nup 1\ntemperature{room="a \\"b\\" {c}",floor="2"} -1.5e3 1700\nnonsense\ninf{} +Inf\n';
  assert.deepEqual(
    readMetrics(text).map(({ name, labels, value }) => [name, [...labels], value]),
    [
      ['up', [], 1],
      [
        'temperature',
        [
          ['room', 'a "b" {c}'],
          ['floor', '2'],
        ],
        -1500,
      ],
      ['inf', [], Number.POSITIVE_INFINITY],
    ],
  );
});
