// A child process of a benchmark: started with arguments, spoken to by its first line, ended when the work is done.
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const fileOf = (name: string) => fileURLToPath(new URL(`./${name}`, import.meta.url));

export async function withChild<T>(
  file: string,
  args: readonly string[],
  work: (firstLine: string) => Promise<T>,
): Promise<T> {
  const child = spawn(process.execPath, [fileOf(file), ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const ended = once(child, 'close');
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    return await work(line);
  } finally {
    child.kill();
    await ended;
  }
}

/** Runs one to its end, and gives what it printed. */
export async function output(file: string, args: readonly string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, [fileOf(file), ...args]);
  return stdout;
}

/** Whole answers a second, asked for by a process of its own. */
export async function answersASecond(url: string, seconds: number, connections = 2): Promise<number> {
  return Number(await output('load.ts', [url, String(seconds), String(connections)]));
}
