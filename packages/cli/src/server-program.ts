// Runs the server's own program for what is looked at on its machine, so that both know the same.
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Refused } from './declaration.ts';

const mostBytes = 16 * 2 ** 20;

/** What it prints; `what` is the command that was given, for people. */
export function askServerProgram(what: string, args: readonly string[], signal: AbortSignal): Promise<string> {
  const program = serverProgram(what);
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [program, ...args], { signal, maxBuffer: mostBytes }, (error, stdout, stderr) => {
      if (error === null) resolve(stdout);
      else
        reject(
          signal.aborted ? error : new Refused(`The server's program has failed: ${stderr.trim() || error.message}`),
        );
    });
  });
}

function serverProgram(what: string): string {
  try {
    const manifest = fileURLToPath(import.meta.resolve('@telltale/server/package.json'));
    return join(dirname(manifest), 'bin', 'telltale-server.js');
  } catch {
    throw new Refused(`The server is not installed here: run telltale ${what} on its machine, where it is.`);
  }
}
