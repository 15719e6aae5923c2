import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { retentionsName } from './file-names.ts';
import { readRetentions, writeRetentions } from './retentions-file.ts';

let folder: string;

beforeEach((t) => {
  folder = temporaryFolder(t);
});

const some = new Map([
  ['measurements/level', 90 * 86_400e6],
  ['alarms/__proto__', 1],
]);

describe('retentions', () => {
  test('are none at first, and afterwards what was written last', () => {
    assert.deepEqual(readRetentions(folder), { ofSeries: new Map(), damages: [] });
    writeRetentions(folder, some);
    writeRetentions(folder, new Map([...some, ['commands/v', 5]]));
    assert.deepEqual(readRetentions(folder).ofSeries, new Map([...some, ['commands/v', 5]]));
  });

  test('of a damaged file are those that can be read, never others', () => {
    writeRetentions(folder, some);
    const path = join(folder, retentionsName);
    const bytes = readFileSync(path);
    for (let at = 0; at < bytes.length; at++) {
      for (const damaged of [
        bytes.subarray(0, at),
        Buffer.from(bytes.map((byte, index) => byte ^ Number(index === at))),
      ]) {
        writeFileSync(path, damaged);
        for (const [key, us] of readRetentions(folder).ofSeries) assert.equal(us, some.get(key));
      }
    }
  });
});
