import assert from 'node:assert/strict';
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { describe, test } from 'node:test';
import { cleanupOf, temporaryFolder } from '@telltale/stack-kit/testing/cleanup';
import { readInput, streamFile, writeFileWhole } from './files.ts';

const noBash = spawnSync('bash', ['--version']).status === 0 ? false : 'there is no bash on this machine';
const noFifo = spawnSync('mkfifo', ['--version']).status === 0 ? false : 'there is no mkfifo on this machine';

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
    assert.deepEqual(readdirSync(folder), ['plant.json']);
  });

  async function* chunks() {
    yield Buffer.from('new ');
    yield Buffer.from('content');
  }

  test('keeps its mode', async (t) => {
    const file = join(temporaryFolder(t), 'plant.json');
    writeFileSync(file, 'before');
    chmodSync(file, 0o640);
    await writeFileWhole(file, chunks());
    assert.deepEqual([readFileSync(file, 'utf8'), statSync(file).mode & 0o777], ['new content', 0o640]);
  });

  test('leaves alone what lies beside it, whatever its name', async (t) => {
    const file = join(temporaryFolder(t), 'plant.json');
    writeFileSync(`${file}.part`, 'of somebody else');
    await writeFileWhole(file, chunks());
    assert.equal(readFileSync(`${file}.part`, 'utf8'), 'of somebody else');
  });

  test('stays a link where it is one, to a file that is there or is not', async (t) => {
    const folder = temporaryFolder(t);
    writeFileSync(join(folder, 'there'), 'longer than what is new');
    for (const target of ['there', 'not-yet']) {
      const link = join(folder, `link-to-${target}`);
      symlinkSync(target, link);
      await writeFileWhole(link, chunks());
      assert.deepEqual([readlinkSync(link), readFileSync(join(folder, target), 'utf8')], [target, 'new content']);
    }
  });

  test('stays a FIFO where it is one, and whoever reads it has every byte', { skip: noFifo }, async (t) => {
    const fifo = join(temporaryFolder(t), 'fifo');
    execFileSync('mkfifo', [fifo]);
    const reader = spawn('cat', [fifo]);
    cleanupOf(t).defer(() => void reader.kill());
    await writeFileWhole(fifo, chunks());
    assert.ok(lstatSync(fifo).isFIFO());
    assert.equal(await text(reader.stdout), 'new content');
  });
});

test('an input that never comes is given up with the signal', async () => {
  const ending = new AbortController();
  const reading = readInput({ input: new Readable({ read: () => undefined }), signal: ending.signal }, '-');
  ending.abort();
  await assert.rejects(reading, { name: 'AbortError' });
});

test('a file that cannot be read while it is sent is reported as such', async (t) => {
  const folder = temporaryFolder(t);
  const { stream } = await streamFile(folder, () => undefined);
  await assert.rejects(text(stream as ReadableStream), {
    name: 'Refused',
    message: /cannot be read: it is a folder\.$/,
  });
});
