// An archive that is missing as a whole is reported, and no crash is taken for that.
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { ArchiveMark } from './archive-mark.ts';

function place(t: TestContext) {
  const data = temporaryFolder(t);
  const archive = join(data, 'archive');
  const fill = () => {
    mkdirSync(archive, { recursive: true });
    writeFileSync(join(archive, 'journal-1.ttj'), 'records');
  };
  return {
    mark: join(data, 'archive.control'),
    archive,
    fill,
    /** A start: looks, opens the archive, which has something then. */
    start: () => {
      const mark = new ArchiveMark(data, archive);
      fill();
      mark.write();
      return mark;
    },
    look: () => new ArchiveMark(data, archive),
  };
}

test('an archive that is removed, or emptied, is reported at each start until it is acknowledged', (t) => {
  for (const remove of ['removed', 'emptied']) {
    const { archive, start, look } = place(t);
    assert.deepEqual(start().missing, []);
    assert.deepEqual(start().missing, []);
    rmSync(archive, { recursive: true });
    if (remove === 'emptied') mkdirSync(archive);
    const [reported = ''] = start().missing;
    assert.ok(reported.startsWith('archive is missing or empty: '), reported);
    assert.deepEqual(start().missing, [reported], 'though there is another archive by now');
    look().acknowledge();
    assert.deepEqual(start().missing, []);
  }
});

test('a first start that was cut off before anything was archived is not reported', (t) => {
  const { archive, mark, look } = place(t);
  mkdirSync(archive);
  writeFileSync(join(archive, 'inventory.tti.tmp'), 'half of it');
  look().write();
  assert.equal(existsSync(mark), false);
  assert.deepEqual(look().missing, []);
});

test('what was acknowledged is not reported again, though nothing was archived since', (t) => {
  const { archive, start, look } = place(t);
  start();
  rmSync(archive, { recursive: true });
  look().acknowledge();
  assert.deepEqual(look().missing, []);
});

test('a mark that is damaged is reported', (t) => {
  for (const text of ['', '{"missing":["', '{"missing":1}', 'null']) {
    const { mark, start } = place(t);
    start();
    writeFileSync(mark, text);
    assert.match(start().missing.join(), /archive\.control is damaged/);
  }
});
