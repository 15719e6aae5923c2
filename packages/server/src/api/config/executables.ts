// The executables of function modules.
import { ExecutableStat, type FunctionModule, ProblemError } from '@telltale/schema';
import type { ConfigurationDatabase } from '../../cfgdb/index.ts';
import type { Executables, FunctionModules } from '../../modules/index.ts';
import { jsonType, type Route } from '../route.ts';

export interface ExecutableRoutesOptions {
  readonly base: string;
  readonly cfgdb: ConfigurationDatabase;
  readonly executables: Executables;
  readonly maxExecutableBytes: number;
  /** False: nobody may bring one. */
  readonly mayUpload: boolean;
  readonly modules: Pick<FunctionModules, 'executableReplaced'>;
}

const bytesType = 'application/octet-stream';

export function executableRoutes(options: ExecutableRoutesOptions): Route[] {
  const { base, cfgdb, executables, maxExecutableBytes, mayUpload, modules } = options;
  const path = `${base}/function-modules/:name/executable`;
  const tag = 'Configuration: function modules';
  const names = 'the function module';
  /** Where the module keeps its executable; fails where there is no such module. */
  const pathOf = async (name: string): Promise<string | undefined> => {
    const module = JSON.parse(Buffer.from(await cfgdb.call('get', 'function-modules', name)).toString());
    return (module as FunctionModule).executable;
  };
  return [
    {
      method: 'GET',
      path,
      id: 'getExecutable',
      tag,
      summary: 'The executable of a function module',
      names,
      answer: { status: 200, description: 'Its bytes.', type: bytesType },
      problems: ['unknown-object', 'no-executable', 'executable-damaged', 'storage-failed'],
      handle: async ({ name }) => ({ ...(await executables.get(name, await pathOf(name))), filename: name }),
    },
    {
      method: 'PUT',
      path,
      id: 'putExecutable',
      tag,
      summary: 'Replace the executable of a function module, which is started again with it where it runs',
      names,
      body: { types: [bytesType], maxBytes: maxExecutableBytes, setting: '--max-executable-size' },
      answer: { status: 204, description: 'It is on disk, and can be run.' },
      problems: ['invalid-name', 'invalid-body', 'unknown-object', 'uploads-disabled', 'overloaded', 'storage-failed'],
      handle: async ({ name, stream }) => {
        if (!mayUpload) throw new ProblemError('uploads-disabled', 'This service runs with --no-module-uploads.');
        const place = await pathOf(name);
        await executables.put(name, place, stream);
        modules.executableReplaced(name, place);
      },
    },
    {
      method: 'DELETE',
      path,
      id: 'deleteExecutable',
      tag,
      summary: 'Delete the executable of a function module',
      names,
      answer: { status: 204, description: 'It is gone.' },
      problems: ['invalid-name', 'executable-locked', 'unknown-object', 'no-executable', 'storage-failed'],
      handle: async ({ name }) => executables.delete(name, await pathOf(name)),
    },
    {
      method: 'GET',
      path: `${path}-stat`,
      id: 'statExecutable',
      tag,
      summary: 'Mode, owner, size and times of the executable',
      names,
      answer: { status: 200, description: 'The stat.', type: jsonType, schema: ExecutableStat },
      problems: ['unknown-object', 'no-executable', 'executable-damaged', 'storage-failed'],
      handle: async ({ name }) => executables.stat(name, await pathOf(name)),
    },
  ];
}
