import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { readInput, writeFileWhole } from './files.ts';

const noBash = spawnSync('bash', ['--version']).status === 0 ? false : 'there is no bash on this machine';

describe('a file that is written', () => {
  const write = `
    import { writeFileWhole } from ${JSON.stringify(new URL('./files.ts', import.meta.url).href)};
    async function* chunks() {
      for (const chunk of [Buffer.alloc(1000, 1), Buffer.alloc(1000, 2)]) yield chunk;
    }
    await writeFileWhole(process.argv[1], chunks()).catch(({ message }) => {
      console.error(message);
      process.exitCode = 1;
    });`;

  test('has every byte, in order', async (t) => {
    const folder = temporaryFolder(t);
    const file = join(folder, 'plant.json');
    async function* chunks() {
      for (let number = 0; number < 5; number++) yield Buffer.alloc(1000, number);
    }
    await writeFileWhole(file, chunks());
    assert.deepEqual(
      [...readFileSync(file)],
      Array.from({ length: 5000 }, (_, at) => Math.floor(at / 1000)),
    );
  });

  test('is what it was where the disk takes only a part of the new one', { skip: noBash }, (t) => {
    const folder = temporaryFolder(t);
    const file = join(folder, 'plant.json');
    writeFileSync(file, 'before');
    // A file may grow to 1 KiB: of the second chunk, 24 bytes are taken.
    const limited = ['-c', 'ulimit -f 1; exec "$0" "$@"', process.execPath, '--input-type=module', '-e', write, file];
    const { status, stderr } = spawnSync('bash', limited, { encoding: 'utf8' });
    assert.deepEqual([status, readFileSync(file, 'utf8')], [1, 'before'], stderr);
    assert.match(stderr, /plant\.json cannot be written: EFBIG/);
    assert.equal(existsSync(`${file}.part`), false);
  });
});

test('an input that never comes is given up with the signal', async () => {
  const ending = new AbortController();
  const reading = readInput({ input: new Readable({ read: () => undefined }), signal: ending.signal }, '-');
  ending.abort();
  await assert.rejects(reading, { name: 'AbortError' });
});
