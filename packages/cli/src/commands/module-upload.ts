// `telltale module upload|pack`: the executable of a function module, from a file that is ready to run or from a program
// in TypeScript or JavaScript.
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { FunctionModule, LastError } from '@telltale/schema';
import { type Call, type CommandDeclaration, Refused, UsageError } from '../declaration.ts';
import { asRefused, writeFileWhole } from '../files.ts';
import { refuseMissing } from '../known-names.ts';
import { packProgram } from '../pack/pack-program.ts';

/** Between two looks at whether it has started. */
const pollMs = 100;

const packedFiles =
  'A .ts, .mts, .js or .mjs file that does not begin with #! is packed: one file with everything that it imports, which ' +
  'needs Node alone. Any other file is taken as it is.';

export const moduleUpload: CommandDeclaration = {
  path: ['module', 'upload'],
  summary: 'Upload the executable of a function module; a running one is restarted',
  arguments: [{ name: 'NAME', names: 'function-modules' }, { name: 'FILE' }],
  options: [
    { name: 'create', summary: 'Create the module if it does not exist' },
    {
      name: 'writes',
      value: 'NAMES',
      summary: 'With --create: what it may write, names or prefixes such as pump1_*',
    },
    { name: 'render', summary: 'Render the configuration afterwards' },
  ],
  details: `${packedFiles} Exit code 0 means that it is stored, and runs if the module is enabled.`,
  examples: [
    'telltale module upload level_controller level-controller.ts',
    "telltale module upload report report.py --create --writes 'report_*' --render",
  ],
  run: upload,
};

export const modulePack: CommandDeclaration = {
  path: ['module', 'pack'],
  summary: 'Bundle a program in TypeScript or JavaScript into one executable file',
  arguments: [{ name: 'FILE' }, { name: 'OUTPUT' }],
  options: [],
  details: 'Builds are reproducible: the SHA-256 can be set as properties.sha256.',
  examples: ['telltale module pack level-controller.ts level-controller'],
  run: async ({ args, terminal }) => {
    const [file = '', output = ''] = args;
    const { text, files, sources } = await packProgram(file);
    const present = await stat(output).catch(() => undefined);
    for (const source of present === undefined ? [] : sources) {
      const { dev, ino } = await stat(source);
      if (dev === present?.dev && ino === present.ino) {
        throw new UsageError(`${output} is a source of the program: name another OUTPUT.`);
      }
    }
    await writeFileWhole(output, Readable.from([Buffer.from(text)]), 0o755);
    const sha256 = sumOf(Buffer.from(text));
    if (terminal.isJson) await terminal.json({ packed: { output, sha256, files } });
    else await terminal.line(`${output} has ${files.length} files in it. SHA-256 ${sha256}`);
  },
};

interface Executable {
  readonly bytes: Uint8Array<ArrayBuffer>;
  /** Of the module that is made for it. */
  readonly path: string;
  /** Whether it answers the queries of its supervisor. */
  readonly isAnswering: boolean;
}

async function upload(call: Call): Promise<void> {
  const { client, terminal, args, options, signal } = call;
  const [name = '', file = ''] = args;
  if (options.has('writes') && !options.has('create')) throw new UsageError('--writes requires --create.');
  const known = (await client.configuration.list('function-modules', { names: [name], signal }))[name];
  if (known === undefined && !options.has('create')) await refuseUnknown(call, name);
  const writes = options.get('writes');
  if (known !== undefined && writes !== undefined && writes !== known.properties?.writes) {
    throw new Refused(
      `${name} exists already, and --writes is only for new modules: set its properties.writes with ` +
        `telltale config get function-modules ${name} and config put, and upload without --writes.`,
    );
  }
  const executable = await readExecutable(file);
  const live = (await client.functionModules.list({ names: [name], signal }))[name];
  if (known === undefined) {
    await client.configuration.put('function-modules', name, newModule(name, executable, writes), call);
  }
  await client.configuration.putExecutable(name, executable.bytes, { signal });
  if (options.has('render')) await client.configuration.render({ signal });
  const sha256 = sumOf(executable.bytes);
  const pinned = known?.properties?.sha256;
  if (pinned !== undefined && pinned !== sha256) {
    terminal.note(`The property sha256 of ${name} requires another file: the module will not start with this one.`);
  }
  if (terminal.isJson) {
    const uploaded = { name, sha256, size: executable.bytes.length, created: known === undefined };
    await terminal.json({ uploaded });
  } else {
    await terminal.line(`The executable of ${name} is stored. SHA-256 ${sha256}`);
    if (!options.has('render') && !(await client.configuration.isUpToDate({ signal }))) {
      await terminal.line('The configuration differs from what runs: telltale config render');
    }
  }
  await refuseFailed(call, name, live?.['last-error'] ?? null);
}

/** Waits until what was uploaded runs, if it is to. */
async function refuseFailed({ client, signal }: Call, name: string, before: LastError | null): Promise<void> {
  const read = async () => (await client.functionModules.list({ names: [name], signal }))[name];
  let live = await read();
  while (live?.state === 'INIT' && live['next-start'] === null) {
    await setTimeout(pollMs, undefined, { signal });
    live = await read();
  }
  const error = live?.['last-error'] ?? null;
  const isFailed = live?.state === 'FAIL' || live?.state === 'INIT';
  if (isFailed && error !== null && !isDeepStrictEqual(error, before)) throw new Refused(`${name} ${error.text}.`);
}

async function refuseUnknown(call: Call, name: string): Promise<never> {
  try {
    await refuseMissing(call, 'function-modules', [name]);
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    throw new Refused(`${error.message} To create it, add --create, with --writes NAMES for what it may write.`);
  }
  throw new Refused(`There is no function module ${JSON.stringify(name)}.`);
}

async function readExecutable(file: string): Promise<Executable> {
  const bytes = await readFile(file).catch((error) => {
    throw asRefused(error, `${file} cannot be read`);
  });
  const isReady = bytes.subarray(0, 2).toString('latin1') === '#!' || !/\.m?[tj]s$/.test(file);
  if (isReady) {
    if (bytes.length === 0) throw new Refused(`${file} is empty.`);
    return { bytes: new Uint8Array(bytes), path: basename(file), isAnswering: false };
  }
  const { text, files } = await packProgram(file);
  return {
    bytes: new TextEncoder().encode(text),
    path: basename(file).replace(/\.m?[tj]s$/, ''),
    isAnswering: files.some((each) => /^@telltale\/client\/.*\bmodule\.m?[jt]s$/.test(each)),
  };
}

const termToKillMs = 5000;
const queryTimeoutMs = 10_000;

/** Kept running, and started again when it ends. */
function newModule(name: string, { path, isAnswering }: Executable, writes: string | undefined): FunctionModule {
  return {
    name,
    ...(/^[\w-][\w.-]{0,127}$/.test(path) && { executable: path }),
    respawn: true,
    termToKill: termToKillMs,
    queryTimeout: isAnswering ? queryTimeoutMs : 0,
    ...(writes !== undefined && { properties: { writes } }),
  };
}

function sumOf(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}
