// What the list of forwarded requests promises: one that is begun is on disk, and what became of it is known for long after.
import assert from 'node:assert/strict';
import { appendFileSync, readdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { cleanupOf, type Scope, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { OutcomeLog } from './outcome-log.ts';

const note = (id: string) => ({
  id,
  time: '2026-01-01T00:00:00.000Z',
  method: 'PUT',
  path: `/of/${id}`,
  caller: { author: 'ann' },
});

async function opened(scope: Scope, folder: string): Promise<OutcomeLog> {
  const log = await OutcomeLog.open(folder);
  cleanupOf(scope).defer(() => log.close().catch(() => undefined));
  return log;
}

describe('the list of forwarded requests', () => {
  test('has each on disk before it is begun, and its outcome after a restart', async (t) => {
    const folder = temporaryFolder(t);
    const log = await opened(t, folder);
    assert.equal(log.of('a'), undefined);
    const begun = ['a', 'b', 'c', 'd'].map((id) => log.begin(note(id)));
    await begun[0];
    assert.match(readFileSync(join(folder, 'forwarded.log'), 'utf8'), /"id":"a".*"path":"\/of\/a".*"author":"ann"/);
    await Promise.all(begun);
    log.end('a', { state: 'done', status: 204 });
    log.end('b', { state: 'not-begun' });
    assert.deepEqual(log.of('a'), { state: 'done', status: 204 });
    await log.close();
    const again = await opened(t, folder);
    assert.deepEqual(
      ['a', 'b', 'c'].map((id) => again.of(id)),
      [{ state: 'done', status: 204 }, { state: 'not-begun' }, { state: 'begun' }],
    );
  });

  test('goes on behind a line that was cut off', async (t) => {
    const folder = temporaryFolder(t);
    const log = await opened(t, folder);
    await log.begin(note('a'));
    await log.close();
    appendFileSync(join(folder, 'forwarded.log'), '\n{"id":"b","ti');
    const again = await opened(t, folder);
    await again.begin(note('c'));
    await again.close();
    const third = await opened(t, folder);
    assert.deepEqual(
      [third.of('a'), third.of('b'), third.of('c')],
      [{ state: 'begun' }, undefined, { state: 'begun' }],
    );
  });

  test('takes a few MB, whatever is asked for, and knows the newest thousands', async (t) => {
    const folder = temporaryFolder(t);
    const log = await opened(t, folder);
    const count = 40_000;
    for (let at = 0; at < count; at += 100) {
      const time = new Date(at).toISOString();
      await Promise.all(Array.from({ length: 100 }, (_, of) => log.begin({ ...note(`${at + of}`), time })));
      for (let of = 0; of < 100; of++) log.end(`${at + of}`, { state: 'done', status: 200 });
    }
    await log.close();
    const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
    assert.equal(sizes.length, 2);
    assert.ok(Math.max(...sizes) < 1.1 * 2 ** 20, `${sizes}`);
    const again = await opened(t, folder);
    for (const known of [log, again]) {
      for (let at = count - 5000; at < count; at++) assert.deepEqual(known.of(`${at}`), { state: 'done', status: 200 });
      assert.equal(known.of('0'), undefined);
      const since = Date.parse(known.since as string);
      assert.ok(since > 0);
      assert.deepEqual(known.of(`${since + 100}`), { state: 'done', status: 200 });
    }
  });

  test('says since when it knows of all, also where it was killed while one file took the place of the other', async (t) => {
    const folder = temporaryFolder(t);
    const log = await opened(t, folder);
    await log.begin(note('a'));
    assert.equal(log.since, undefined);
    await log.close();
    renameSync(join(folder, 'forwarded.log'), join(folder, 'forwarded.old.log'));
    const again = await opened(t, folder);
    assert.equal(again.since, undefined, 'all that there ever was is in the older one');
    await again.begin(note('b'));
    await again.close();
    renameSync(join(folder, 'forwarded.log'), join(folder, 'forwarded.old.log'));
    assert.equal((await opened(t, folder)).since, note('a').time);
  });

  test('says where the disk does not take it, and forgets it', async (t) => {
    const log = await opened(t, temporaryFolder(t));
    await log.close();
    await assert.rejects(log.begin(note('a')));
    assert.equal(log.of('a'), undefined);
  });
});
