#!/usr/bin/env node
// The command line and the environment; nothing else reads them.
import { setFlagsFromString } from 'node:v8';

// Of the threads, whose garbage dies young: with the usual 16 MB, what a large rendering brings stays far longer.
setFlagsFromString('--max-semi-space-size=4');

// The reader of the log may go away: that is no reason to stop serving a plant.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {});

const { createLog } = await import('./log.ts');
const { Server } = await import('./server.ts');
const { StartFailed } = await import('./start-failed.ts');
const { createSourceStack } = await import('./source-stack.ts');
const { BadSetting, helpText, readSettings, readSources, unknownVariables } = await import('./read-settings.ts');

/** When npm is terminated, it ends the shell between it and the server, but not the server. */
const parentCheckMs = 250;
/** Of something long. */
const showEveryMs = 100;
/** Should anything still be open when all is closed. */
const endByForceMs = 500;

function fail(error: Error): never {
  const clear = error instanceof BadSetting || error instanceof StartFailed;
  const text = clear ? error.message : createSourceStack()(error.stack ?? error.message);
  process.stderr.write(`telltale: ${text}\n`);
  process.exit(1);
}

async function main(args: string[]): Promise<void> {
  if (args.includes('--help')) {
    process.stdout.write(helpText());
    return;
  }
  if (args[0] === 'doctor') {
    const { examine, thisMachine } = await import('./doctor/index.ts');
    const found = await examine(args.slice(1), thisMachine(process.env, process.execArgv));
    process.stdout.write(`${JSON.stringify(found)}\n`);
    return;
  }
  if (args[0] === 'verify-audit') {
    const { verifyTrail } = await import('./audit/index.ts');
    process.stdout.write(`${JSON.stringify(verifyTrail(args[1] ?? ''))}\n`);
    return;
  }
  if (args[0] === 'move-archive') {
    await move(args.slice(1));
    return;
  }
  if (args[0] === 'enrol') {
    const { enrolServer } = await import('./enrol-server.ts');
    process.umask(0o077);
    // Not on the command line, which others can list.
    const code = (await process.stdin.toArray()).join('');
    process.stdout.write(`${JSON.stringify(await enrolServer(code, readSettings(args.slice(1), process.env)))}\n`);
    return;
  }
  const settings = readSettings(args, process.env);
  const log = createLog(settings['log-level'], process.stdout);
  for (const variable of unknownVariables(process.env)) log.warn(`${variable} is not a setting; --help lists them all`);
  process.umask(0o077); // the files of the server are private
  const starting = Server.start({
    settings,
    sources: readSources(args, process.env),
    log,
    credentials: process.env.CREDENTIALS_DIRECTORY,
    onFailure: fail,
  });
  let stopping = false;
  const stop = async (signal: string) => {
    if (stopping) return;
    stopping = true;
    log.info(`stopping (${signal})`);
    await (await starting).stop();
    log.info('stopped');
    // The process ends by itself: process.exit may wait for ever for a thread that compiles (nodejs/node issue 54918).
    setTimeout(() => process.exit(0), endByForceMs).unref();
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, () => stop(signal).catch(fail));
  if (process.env.npm_lifecycle_event === 'start') whenOrphaned(() => stop('npm has ended').catch(fail));
  const server = await starting;
  if (stopping) return;
  const { url, failure } = server;
  const where = `${url}/ has the page, ${url}/docs/ the reference`;
  if (failure === undefined) log.info(`ready: ${where}`);
  else log.warn(`running, and not ready (${failure.problem}, see /readyz): ${where}`);
}

/** Prints how far it is, a line of JSON each, and at last what has come of it. */
async function move([direction, ...args]: string[]): Promise<void> {
  const { moveArchive } = await import('./mover/index.ts');
  const { systemClock } = await import('@telltale/schema');
  const settings = readSettings(args, process.env);
  const ending = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.once(signal, () =>
      ending.abort(new StartFailed('interrupted: run it again, and it goes on where it was.')),
    );
  }
  process.umask(0o077);
  const print = (value: unknown) => process.stdout.write(`${JSON.stringify(value)}\n`);
  let shownMs = Number.NEGATIVE_INFINITY;
  const onProgress = (progress: { readonly done: number; readonly total: number }) => {
    const nowMs = systemClock.monotonicMs();
    if (nowMs - shownMs < showEveryMs && progress.done < progress.total) return;
    shownMs = nowMs;
    print(progress);
  };
  const moved = await moveArchive({
    direction: direction === 'to' ? 'to' : 'from',
    settings,
    clock: systemClock,
    log: createLog('warn', process.stderr as NodeJS.WriteStream),
    signal: ending.signal,
    onProgress,
  });
  print(moved);
}

function whenOrphaned(then: () => void): void {
  const parent = process.ppid;
  const check = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(check);
    then();
  }, parentCheckMs).unref();
}

main(process.argv.slice(2)).catch(fail);
