// Runs the server's own program for what is looked at on its machine, so that both know the same.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { onAbort } from '@telltale/schema';
import { Refused } from './declaration.ts';

/** Before why the server's program has failed; its log may be before that. */
const saidFirst = 'telltale: ';
const mostBytes = 16 * 2 ** 20;

/** What it prints; `what` is the command that was given, for people. `input`: what it is told in secret. */
export function askServerProgram(
  what: string,
  args: readonly string[],
  signal: AbortSignal,
  input?: string,
): Promise<string> {
  const program = serverProgram(what);
  return new Promise((resolve, reject) => {
    const child = execFile(
      process.execPath,
      [program, ...args],
      { signal, maxBuffer: mostBytes },
      (error, stdout, stderr) => {
        if (error === null) resolve(stdout);
        else
          reject(
            signal.aborted
              ? error
              : new Refused(saidIn(stderr) ?? `The server's program has failed: ${stderr.trim() || error.message}`),
          );
      },
    );
    child.stdin?.on('error', () => {}); // it may end before it has read it
    child.stdin?.end(input);
  });
}

/** Each line that it prints, as JSON, when it does. Where it is interrupted, it ends in order. */
export async function* followServerProgram<Line>(
  what: string,
  args: readonly string[],
  signal: AbortSignal,
): AsyncGenerator<Line> {
  const child = spawn(process.execPath, [serverProgram(what), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const ended = once(child, 'close') as Promise<[code: number | null]>;
  const stop = () => child.kill('SIGTERM');
  const stopListening = onAbort(signal, stop);
  let said = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    said = `${said}${text}`.slice(-mostBytes);
  });
  try {
    for await (const line of createInterface(child.stdout)) yield JSON.parse(line) as Line;
    const [code] = await ended;
    signal.throwIfAborted();
    if (code !== 0) throw new Refused(saidIn(said) ?? `it ended with exit code ${code}`);
  } finally {
    stopListening();
    stop();
    await ended;
  }
}

/** Why it has failed, as it said last; undefined: it said nothing for people. */
function saidIn(text: string): string | undefined {
  const at = text.lastIndexOf(saidFirst);
  return at < 0 ? undefined : text.slice(at + saidFirst.length).trim();
}

function serverProgram(what: string): string {
  try {
    const manifest = fileURLToPath(import.meta.resolve('@telltale/server/package.json'));
    return join(dirname(manifest), 'bin', 'telltale-server.js');
  } catch {
    throw new Refused(`The server is not installed here: run telltale ${what} on its machine, where it is.`);
  }
}
