// What a page loads of the client and of the values: none of the schemas, and little of what it does not use.
import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';

/** Compressed: all of the client, with problems and their remedies (4.5 kB), and the table of operations (3 kB). */
const mostBytes = 30_000;
/** Of the words of qualities, which need nothing else. */
const mostBytesOfWords = 1_000;

/** Of a module with this text, made for a browser as a page is. */
async function bundled(text: string): Promise<{ modules: readonly string[]; bytes: number }> {
  const { metafile, outputFiles } = await build({
    stdin: { contents: text, resolveDir: import.meta.dirname, loader: 'ts' },
    bundle: true,
    format: 'esm',
    minify: true,
    platform: 'browser',
    target: 'es2022',
    metafile: true,
    write: false,
  });
  const [{ contents } = { contents: new Uint8Array() }] = outputFiles;
  return { modules: Object.keys(metafile.inputs), bytes: gzipSync(contents, { level: 9 }).length };
}

const isOfSchemas = (module: string) => /\btypebox\b|schema\/src\/(?:index|wire-schemas)\.ts$/.test(module);

describe('made for a browser', () => {
  test('the client loads no schemas, and is small', async () => {
    const { modules, bytes } = await bundled("export * from '@telltale/client'");
    assert.ok(modules.some((module) => module.endsWith('telltale-client.ts')));
    assert.deepEqual(modules.filter(isOfSchemas), []);
    assert.ok(bytes <= mostBytes, `${bytes} bytes compressed; at most ${mostBytes} are wanted`);
  });

  test('values, names and words load no schemas', async () => {
    const { modules } = await bundled("export * from '@telltale/schema/values'");
    assert.ok(modules.some((module) => module.endsWith('quality.ts')));
    assert.deepEqual(modules.filter(isOfSchemas), []);
  });

  for (const path of ['@telltale/client', '@telltale/schema/values']) {
    test(`of ${path} a page has only what it uses`, async () => {
      const { bytes } = await bundled(`export { describeQuality } from '${path}'`);
      assert.ok(bytes <= mostBytesOfWords, `${bytes} bytes compressed; at most ${mostBytesOfWords} are wanted`);
    });
  }
});
