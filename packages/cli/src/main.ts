#!/usr/bin/env node
// The command line, the environment and the streams of the process; nothing else reads them.
import { setFlagsFromString } from 'node:v8';
import manifest from '../package.json' with { type: 'json' };

// A process that ends while this compiler is at work may wait for it for ever (nodejs/node issue 54918).
setFlagsFromString('--no-maglev');
const { systemClock } = await import('@telltale/schema');
const { exitCodes } = await import('./declaration.ts');
const { run } = await import('./run.ts');

const ending = new AbortController();

const signals = ['SIGINT', 'SIGTERM'] as const;

/** The second is the system's: process.exit would wait for a thread that waits for a file, such as a FIFO without a reader. */
function end(): void {
  ending.abort();
  for (const signal of signals) process.off(signal, end);
}

for (const signal of signals) process.on(signal, end);

process.stdout.on('error', ({ code, message }: NodeJS.ErrnoException) => {
  if (code === 'EPIPE') process.exit(exitCodes.good); // the reader has closed the pipe
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
