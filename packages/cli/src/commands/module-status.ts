// `telltale module status|start|stop|restart`: how function modules are, and what people do to them.
import type { FunctionModuleOperation, FunctionModuleState, LiveFunctionModule } from '@telltale/schema';
import { functionModuleOperations, operations } from '@telltale/schema';
import type { Call, CommandDeclaration } from '../declaration.ts';
import { missingOf, refuseIdle } from '../known-names.ts';
import type { Cell, Style, Terminal } from '../terminal.ts';
import { timeText } from '../words.ts';
import { namesIn } from './read.ts';

export const moduleStatus: CommandDeclaration = {
  path: ['module', 'status'],
  summary: 'Show the state of function modules; of one, in detail',
  arguments: [{ name: 'NAME', optional: true, names: 'function-modules' }],
  repeatsFrom: 0,
  options: [],
  examples: ['telltale module status', 'telltale module status level_controller'],
  run: async (call) => {
    const { client, terminal, args, signal } = call;
    const found = await client.functionModules.list({ names: namesIn(args), signal });
    const modules = Object.values(found);
    const [only] = modules;
    if (args.length > 0 && only === undefined) {
      // missing names are reported
    } else if (terminal.isJson) await terminal.json(args.length === 1 ? only : found);
    else if (args.length === 1 && only !== undefined) await details(terminal, only);
    else if (only === undefined) await terminal.line('There are no function modules.');
    else await terminal.table(headings, modules.map(row));
    await refuseIdle(call, 'function-modules', missingOf(args, found));
  },
};

const dones: Record<FunctionModuleOperation, string> = { start: 'Started', stop: 'Stopped', restart: 'Restarted' };

export const moduleOperationCommands: readonly CommandDeclaration[] = functionModuleOperations.map((operation) => ({
  path: ['module', operation],
  summary: operations[`${operation}FunctionModule`].summary,
  arguments: [{ name: 'NAME', names: 'function-modules' }],
  repeatsFrom: 0,
  options: [],
  details: 'Exit code 0 means that it is done. A disabled module is enabled in the configuration.',
  examples: [`telltale module ${operation} level_controller`],
  run: (call) => operate(call, operation),
}));

async function operate(call: Call, operation: FunctionModuleOperation): Promise<void> {
  const { client, terminal, args, signal } = call;
  const names = [...new Set(args)];
  const found = await client.functionModules.list({ names, fields: ['name'], signal });
  await refuseIdle(call, 'function-modules', missingOf(names, found));
  for (const name of names) await client.functionModules.operate(name, operation, { signal });
  if (terminal.isJson) await terminal.json({ operation, names });
  else await terminal.line(`${dones[operation]} ${names.join(', ')}.`);
}

const styles: Record<FunctionModuleState, Style> = { STOP: 'dim', INIT: 'yellow', RUN: 'green', FAIL: 'red' };

function stateCell(state: FunctionModuleState): Cell {
  return { text: state, style: Object.hasOwn(styles, state) ? styles[state] : 'plain' };
}

const headings = ['NAME', 'STATE', 'SINCE', 'PID', 'RESTARTS', 'CPU', 'MEMORY', 'STATUS'];

function row(module: LiveFunctionModule): Cell[] {
  const { name, state, since, pid, restarts, cpu, memory, status } = module;
  const failure: Cell = { text: module['last-error']?.text ?? '', style: 'red' };
  return [
    name,
    stateCell(state),
    timeText(since),
    pid === null ? '' : String(pid),
    String(restarts),
    cpu === null ? '' : percent(cpu),
    memory === null ? '' : mebibytes(memory),
    state === 'FAIL' ? failure : (status ?? ''),
  ];
}

async function details(terminal: Terminal, module: LiveFunctionModule): Promise<void> {
  const line = (title: string, ...cells: Cell[]) =>
    terminal.line({ text: title.padEnd(15), style: 'bold' }, ' ', ...cells);
  const { name, state, since, status, restarts, enabled, pid, processes, cpu, memory } = module;
  await line(name, stateCell(state), ` since ${timeText(since)}`);
  await line('Status', status ?? 'none reported');
  await line('Runs', `${module['run-mode']}${enabled ? '' : ', disabled'}`);
  if (pid !== null) await line('Process', `${pid}, ${processes ?? 1} in all`);
  if (cpu !== null && memory !== null) await line('Takes', `${percent(cpu)} of a core, ${mebibytes(memory)}`);
  await line('Restarts', String(restarts));
  const [code, signal] = [module['exit-code'], module['exit-signal']];
  if (code !== null || signal !== null) await line('Ended last', signal ?? `with ${code}`);
  const error = module['last-error'];
  if (error !== null) await line('Last error', `${error.text} (${timeText(error.t)})`);
  const next = module['next-start'];
  if (next !== null) await line('Starts next', timeText(next));
}

function percent(cores: number): string {
  return `${Math.round(cores * 1000) / 10} %`;
}

function mebibytes(bytes: number): string {
  return `${Math.round((bytes / 2 ** 20) * 10) / 10} MiB`;
}
