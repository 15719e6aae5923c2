// Why the system would not run a file, found out before the attempt: once a wrapper that drops privileges runs it, its
// exit code would be the only sign.
import { constants } from 'node:fs';
import { access, open, readdir, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import { arch } from 'node:process';

/** As much as the kernel looks at for a script, and enough for the head of a binary. */
const headBytes = 4096;
const scriptLineBytes = 256;
/** Numbers of machines in the head of a binary; a kernel for 64 bits mostly runs those for 32, too. */
const machines: Readonly<Record<number, string>> = { 3: 'x86', 40: 'ARM', 62: 'x86-64', 183: 'ARM64', 243: 'RISC-V' };
const runnable: Readonly<Record<string, readonly number[]>> = { x64: [62, 3], arm64: [183, 40], riscv64: [243] };
const loaderSegment = 3;
/** The head of a binary for 32 bits, which is the shorter one. */
const shortestBinaryBytes = 52;
const torn = 'the executable is a binary that breaks off: put all of it';

/** Undefined where there is no fault. `folder` is the working directory, `path` the PATH of its environment. */
export async function executableFault(file: string, folder: string, path: string): Promise<string | undefined> {
  const head = await readHead(file);
  if (head.length === 0) return 'the executable is empty';
  if (await cannotRun(file)) {
    return 'the system does not let it run: look whether the data folder is on a file system that is mounted noexec';
  }
  if (head.toString('latin1', 0, 2) === '#!') return scriptFault(head, folder, path);
  if (head.toString('latin1', 0, 4) === '\x7fELF') return binaryFault(head);
  // What execvp would hand to a shell is not run as a script: a script needs a `#!` line.
  if (head.includes(0) && (await knowsOtherForms())) return undefined;
  return 'the executable is neither a script, which begins with #! and its interpreter, nor a binary for Linux';
}

async function scriptFault(head: Buffer, folder: string, path: string): Promise<string | undefined> {
  const line = head.toString('latin1', 2, scriptLineBytes).split('\n', 1)[0] as string;
  const [, interpreter = '', argument = ''] = /^[ \t]*([^ \t]*)[ \t]*(.*?)[ \t]*$/s.exec(line) ?? [];
  const windows = line.endsWith('\r')
    ? '; its first line ends as on Windows (CR LF), and the CR is taken for a part of the name: end lines with LF'
    : '';
  if (interpreter.trim() === '') return 'the first line of the script names no interpreter after #!';
  if (await cannotRun(resolve(folder, interpreter))) {
    return `the interpreter of the script, ${JSON.stringify(interpreter.trimEnd())}, is not there or not executable${windows}`;
  }
  const program = interpreter.endsWith('/env') ? programOf(argument) : undefined;
  if (program === undefined) return undefined;
  const places = program.includes('/') ? [folder] : path.split(':').map((place) => resolve(folder, place));
  for (const place of places) if (!(await cannotRun(resolve(place, program)))) return undefined;
  const split = program.includes(' ') ? '; env takes all of the line for one name: write env -S' : '';
  return `the interpreter of the script, ${JSON.stringify(program.trimEnd())}, is not in the PATH ${path}${windows}${split}`;
}

/** What env would look for, and end with 127 where it is not there; undefined where it takes more to know. */
function programOf(argument: string): string | undefined {
  const isSplit = argument.startsWith('-S');
  if (!isSplit) return argument === '' || argument.startsWith('-') || argument.includes('=') ? undefined : argument;
  const words = argument
    .slice(2)
    .split(/[ \t]+/)
    .filter((word) => word !== '');
  const program = words.find((word) => !word.includes('='));
  return program === undefined || /^-|["'$\\]/.test(program) ? undefined : program;
}

/** The head is what anybody may have sent: whatever does not lead anywhere is left to the kernel to refuse. */
async function binaryFault(head: Buffer): Promise<string | undefined> {
  if (head.length < shortestBinaryBytes) return torn;
  const is64Bit = head[4] === 2;
  const isLittleEndian = head[5] === 1;
  if (!isLittleEndian || head.length < 64) return undefined;
  const machine = head.readUInt16LE(18);
  const ours = runnable[arch];
  if (ours !== undefined && !ours.includes(machine) && !(await knowsOtherForms())) {
    return `the executable is a binary for ${machines[machine] ?? `machine ${machine}`}, and this machine is ${arch}`;
  }
  const [at, size, count] = [Number(head.readBigUInt64LE(32)), head.readUInt16LE(54), head.readUInt16LE(56)];
  if (!is64Bit || size < 56) return undefined;
  if (head.length < headBytes && at + count * size > head.length) return torn;
  for (let index = 0; index < count && at + (index + 1) * size <= head.length; index++) {
    const segment = head.subarray(at + index * size);
    if (segment.readUInt32LE(0) !== loaderSegment) continue;
    const [start, length] = [Number(segment.readBigUInt64LE(8)), Number(segment.readBigUInt64LE(32))];
    if (start + length > head.length || length < 2) return undefined;
    const loader = head.toString('utf8', start, start + length - 1);
    if (await cannotRun(loader)) {
      return `the loader of the binary, ${JSON.stringify(loader)}, is not there: it was built for another system or library`;
    }
  }
  return undefined;
}

async function readHead(file: string): Promise<Buffer> {
  await using handle = await open(file, 'r');
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(headBytes), 0, headBytes, 0);
  return buffer.subarray(0, bytesRead);
}

async function cannotRun(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK);
    return !(await stat(file)).isFile();
  } catch {
    return true;
  }
}

/** Linux can be taught to run other files. */
async function knowsOtherForms(): Promise<boolean> {
  const forms = await readdir('/proc/sys/fs/binfmt_misc').catch(() => []);
  return forms.some((name) => name !== 'register' && name !== 'status');
}
