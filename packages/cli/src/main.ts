#!/usr/bin/env node
// The command line, the environment and the streams of the process; nothing else reads them.
import { enableCompileCache } from 'node:module';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import manifest from '../package.json' with { type: 'json' };

// A process that ends while this compiler is at work may wait for it for ever (nodejs/node issue 54918).
setFlagsFromString('--no-maglev');
// A person waits for every start: what is compiled is kept, so that the next one takes half as long. Beside the code, where
// nobody can write who could not write code as well.
enableCompileCache(fileURLToPath(new URL('../../../node_modules/.cache/telltale', import.meta.url)));
const { systemClock } = await import('@telltale/schema');
const { exitCodes } = await import('./declaration.ts');
const { run } = await import('./run.ts');

const ending = new AbortController();

for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (ending.signal.aborted) process.exit(exitCodes.interrupted);
    ending.abort();
  });
}

process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(exitCodes.good); // whoever reads the output has seen enough
  process.stderr.write(`telltale: the output cannot be written: ${message}.\n`);
  process.exit(exitCodes.refused);
});

process.exitCode = await run(process.argv.slice(2), {
  out: process.stdout,
  err: process.stderr,
  input: process.stdin,
  environment: process.env,
  version: manifest.version,
  clock: systemClock,
  signal: ending.signal,
});

// When all is printed, a connection to a peer that is gone must not keep the process.
process.stdout.write('', () => setTimeout(() => process.exit(), 1000).unref());
