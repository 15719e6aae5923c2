// `telltale module log`: what a function module printed, and what it prints.
import { type FunctionModuleLine, newLines } from '@telltale/client';
import { type LogLine, type LogStream, onAbort } from '@telltale/schema';
import { type Call, type CommandDeclaration, UsageError } from '../declaration.ts';
import { missingOf, refuseIdle } from '../known-names.ts';
import { timeText } from '../words.ts';

const maxLines = 10_000;

export const moduleLog: CommandDeclaration = {
  path: ['module', 'log'],
  summary: 'Show the log of a function module',
  arguments: [{ name: 'NAME', names: 'function-modules' }],
  options: [
    { name: 'lines', value: 'N', summary: 'The newest N lines; default: 100' },
    {
      name: 'stream',
      value: 'STREAM',
      values: ['out', 'err'],
      summary: 'Only standard output (out) or standard error (err)',
    },
    { name: 'follow', summary: 'Continue with new lines, until Ctrl-C' },
  ],
  details: 'Piped, each line is one line of JSON.',
  examples: ['telltale module log level_controller --lines 20', 'telltale module log level_controller --follow'],
  isEndless: true,
  run: async (call) => {
    const { client, args, options, signal } = call;
    const [name = ''] = args;
    const found = await client.functionModules.list({ names: [name], fields: ['name'], signal });
    await refuseIdle(call, 'function-modules', missingOf([name], found));
    const request = { name, lines: linesIn(options.get('lines')), stream: options.get('stream') as LogStream };
    if (options.has('follow')) await follow(call, request);
    else for (const line of await client.functionModules.log(name, { ...request, signal })) await print(call, line);
  },
};

function linesIn(text = '100'): number {
  const lines = Number(text);
  if (/^\d+$/.test(text) && lines <= maxLines) return lines;
  throw new UsageError(`--lines is a whole number from 0 to ${maxLines}, not ${JSON.stringify(text)}.`);
}

interface LogRequest {
  readonly name: string;
  readonly lines: number;
  readonly stream: LogStream | undefined;
}

/** The watch begins before the log is read, so that no line falls between the two. */
async function follow(call: Call, { name, lines, stream }: LogRequest): Promise<void> {
  const { client, terminal, signal } = call;
  const channel = client.channel();
  const stopListening = onAbort(signal, () => channel.close());
  try {
    const watch = channel.watchFunctionModuleLogs([name]);
    await channel.request('Heartbeat', {}, { signal });
    channel.onState((state, reason) => {
      if (state === 'lost') terminal.note(`The connection is lost (${reason}). Reconnecting.`);
      if (state === 'connected') terminal.note('The connection is back; lines in between are in the log.');
    });
    const printed = await client.functionModules.log(name, { lines, stream, signal });
    for (const line of printed) await print(call, line);
    const isNew = newLines(printed);
    for await (const { updates, skipped } of watch) {
      if (skipped > 0) terminal.note(`${skipped} lines were skipped: they arrived faster than they could be shown.`);
      for (const line of updates) {
        if ((stream === undefined || line.stream === stream) && isNew(line)) await print(call, line);
      }
    }
  } finally {
    stopListening();
    channel.close();
  }
}

async function print({ terminal }: Call, { t, stream, text }: LogLine | FunctionModuleLine): Promise<void> {
  if (terminal.isJson) await terminal.jsonLine({ t, stream, text });
  else
    await terminal.line({ text: timeText(t), style: 'dim' }, '  ', { text, style: stream === 'err' ? 'red' : 'plain' });
}
