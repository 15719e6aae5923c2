// ETag and 304 of the collections: equal tags mean equal answers, whatever was asked, across changes and restarts.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { put } from './live-plant.ts';
import { LiveServer } from './live-server.ts';
import { until } from './until.ts';

const live = new LiveServer();
const { data } = live;

const get = (path: string, tag?: string) =>
  fetch(live.url + path, tag === undefined ? {} : { headers: { 'if-none-match': tag } });

async function tagOf(path: string): Promise<string> {
  const answer = await get(path);
  assert.equal(answer.status, 200);
  await answer.arrayBuffer();
  const tag = answer.headers.get('etag');
  assert.match(tag ?? '', /^"[^"]+"$/);
  assert.equal(answer.headers.get('cache-control'), 'no-cache');
  return tag as string;
}

/** Of each family, something that changes it. */
const changes: Record<string, () => Promise<void>> = {
  measurements: () => data.done('PUT', '/measurements/level?value=d1'),
  commands: () => data.done('PUT', '/commands/local?value=d1'),
  alarms: () => data.done('POST', '/alarms/manual/activate'),
};

/** The counter would change measurements all the time, and goes; the others have had their first values. */
async function quiet(): Promise<void> {
  await live.apply([{ operation: 'delete', family: 'measurements', name: 'counter' }]);
  await until('the first values', async () => {
    const { scaled, unscaled, long, text, weak_value } =
      await data.read<Record<string, { vtq: [string, unknown, number] }>>('/measurements/');
    return [scaled, unscaled, long, text, weak_value].every((each) => each?.vtq[2] === 0xc0);
  });
}

for (const [family, change] of Object.entries(changes)) {
  describe(family, () => {
    const queries = ['', '?names=level,local,manual', '?fields=name', '?fields=name&names=local'];

    test('that have not changed are answered by 304 without a body, with the same tag', async () => {
      if (family === 'measurements') await quiet();
      for (const query of queries) {
        const tag = await tagOf(`/${family}/${query}`);
        for (const known of [tag, `W/${tag}`, `"x", ${tag}`, '*']) {
          const answer = await get(`/${family}/${query}`, known);
          assert.deepEqual([answer.status, await answer.text(), answer.headers.get('etag')], [304, '', tag]);
        }
        const { status } = await get(`/${family}/${query}`, '"another"');
        assert.equal(status, 200);
      }
    });

    test('have another tag for every selection', async () => {
      const tags = await Promise.all(queries.map((query) => tagOf(`/${family}/${query}`)));
      assert.equal(new Set(tags).size, queries.length);
    });

    test('have another tag after a change', async () => {
      const before = await Promise.all(queries.map((query) => tagOf(`/${family}/${query}`)));
      await change();
      for (const [at, query] of queries.entries()) {
        assert.equal((await get(`/${family}/${query}`, before[at])).status, 200, query);
      }
    });

    test('have another tag after an object has come, has changed or is gone', async () => {
      const object = family === 'alarms' ? { severity: 1 } : { datatype: 'd' };
      const typed = family as 'alarms';
      let tag = await tagOf(`/${family}/`);
      for (const operation of [
        put(typed, 'fresh', object),
        put(typed, 'fresh', { ...object, description: 'changed' }),
        { operation: 'delete', family: typed, name: 'fresh' } as const,
      ]) {
        await live.apply([operation]);
        assert.equal((await get(`/${family}/`, tag)).status, 200);
        tag = await tagOf(`/${family}/`);
      }
    });

    test('are not distinguished by a tag of before a restart', async () => {
      const tag = await tagOf(`/${family}/`);
      await live.restart();
      assert.equal((await get(`/${family}/`, tag)).status, 200);
    });
  });
}

test('a query that is refused is refused though the client has the tag', async () => {
  assert.equal((await get('/measurements/?fields=nothing', '*')).status, 400);
});
