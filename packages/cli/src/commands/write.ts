// `telltale write`: command values, one after the other, each once.
import { TelltaleProblem } from '@telltale/client';
import {
  type Approval,
  booleanForms,
  type Datatype,
  formatPrefixed,
  type Problem,
  parseBoolean,
  parsePrefixed,
  parseText,
  traitsOf,
  type Value,
  ValueError,
} from '@telltale/schema';
import { type Call, type CommandDeclaration, Refused, UsageError } from '../declaration.ts';
import { missingOf, refuseMissing } from '../known-names.ts';
import { type CarryOut, confirming, confirmOptions, pendingText } from '../signing.ts';
import { valueText } from '../words.ts';

export const rawOption = {
  name: 'raw',
  summary: 'VALUE has the form of the wire: the letter of the datatype, then the value',
};

export const write: CommandDeclaration = {
  path: ['write'],
  summary: 'Write commands in order, up to the first failure',
  arguments: [{ name: 'NAME', names: 'commands' }, { name: 'VALUE' }],
  repeatsFrom: 0,
  options: [rawOption, ...confirmOptions],
  details:
    'Names and values are checked before anything is written. A command is written once: where no answer comes,\n' +
    'it may have been carried out, and the message says so.',
  examples: [
    'telltale write pump1_start 1',
    'telltale write pump1_auto off pump1_speed_setpoint 62.5',
    'telltale write drain_valve 1 --sign --reason "tank 2 is inspected"',
  ],
  run: (call) => confirming(call, runWrite),
};

async function runWrite(call: Call, carryOut: CarryOut): Promise<void> {
  const { client, args, signal } = call;
  const names = args.filter((_, at) => at % 2 === 0);
  const known = await client.commands.list({ names, fields: ['name', 'datatype'], signal });
  await refuseUnwritable(call, missingOf(names, known));
  const writes = names.map((name, at) => ({
    name,
    value: readValue(call, name, known[name]?.datatype ?? 's', args[2 * at + 1] ?? ''),
  }));
  await writeAll(call, writes, carryOut);
}

async function writeAll(
  { client, terminal, options, signal }: Call,
  writes: readonly { name: string; value: string }[],
  carryOut: CarryOut,
): Promise<void> {
  const reason = options.get('reason');
  const results: { name: string; value: string; result: boolean; error?: Problem; approval?: string }[] = [];
  for (const [at, { name, value }] of writes.entries()) {
    let pending: Approval | undefined;
    try {
      pending = await carryOut({ operation: 'writeCommand', input: { name, value } }, () =>
        client.commands.write(name, value, { reason, signal }),
      );
    } catch (error) {
      if (error instanceof TelltaleProblem) results.push({ name, value, result: false, error: error.toJSON() });
      if (terminal.isJson) await terminal.json({ results });
      const rest = writes.slice(at + 1).map((each) => each.name);
      if (rest.length > 0) terminal.note(`Not written: ${rest.join(', ')}.`);
      throw error;
    }
    results.push({ name, value, result: true, ...(pending?.id && { approval: pending.id }) });
    const waits = pending === undefined ? '' : ` ${pendingText(pending)}`;
    if (!terminal.isJson) await terminal.line(name, ' = ', valueText(value), waits);
  }
  if (terminal.isJson) await terminal.json({ results });
}

/** A measurement is not written: it can be simulated. */
async function refuseUnwritable(call: Call, missing: readonly string[]): Promise<void> {
  if (missing.length === 0) return;
  const measurements = await call.client.measurements.list({ names: missing, fields: ['name'], signal: call.signal });
  const [first] = Object.keys(measurements);
  if (first !== undefined)
    throw new Refused(`${first} is a measurement, not a command: telltale simulate ${first} VALUE`);
  await refuseMissing(call, 'commands', missing);
}

/** A boolean also as people write one. */
function parsePlain(datatype: Datatype, text: string): Value {
  if (!traitsOf(datatype).isBoolean) return parseText(datatype, text);
  const truth = parseBoolean(text);
  if (truth !== undefined) return truth;
  throw new ValueError(`${JSON.stringify(text.slice(0, 60))} is not a boolean: write ${booleanForms}`);
}

/** With its prefix; refused here where it cannot be a value of the datatype. */
export function readValue({ options }: Call, name: string, datatype: Datatype, text: string): string {
  try {
    if (!options.has(rawOption.name)) return formatPrefixed(datatype, parsePlain(datatype, text));
    const { datatype: given, value } = parsePrefixed(text);
    if (given !== datatype)
      throw new Refused(`${name} has the datatype ${datatype}: write ${datatype}…, not ${given}…`);
    return formatPrefixed(given, value);
  } catch (error) {
    const [whole, before, after] = /^([+-]?\d*),(\d+)$/.exec(text) ?? [];
    const hint = whole === undefined ? '' : `: write ${before}.${after}`;
    if (error instanceof ValueError) throw new UsageError(`${name}: ${error.message}${hint}.`);
    throw error;
  }
}
