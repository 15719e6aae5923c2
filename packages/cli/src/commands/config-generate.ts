// `telltale config generate` and `telltale config typicals`: objects made of a type and its instances.
import { type GenerateRequest, type GenerateResult, type KeptField, parseJson } from '@telltale/schema';
import { type Call, type CommandDeclaration, UsageError } from '../declaration.ts';
import { readInput } from '../files.ts';
import { printChange } from '../print-change.ts';
import { Progress } from '../progress.ts';
import { changeOptions, outcomeOf, renderingOf } from '../render-options.ts';

export const configGenerate: CommandDeclaration = {
  path: ['config', 'generate'],
  summary: 'Make or update the objects of a type for each of its instances, all or nothing',
  arguments: [{ name: 'TYPE.json' }, { name: 'INSTANCES' }],
  options: [
    ...changeOptions,
    { name: 'delete-missing', summary: 'Delete objects that the type made before, and does not any more' },
    { name: 'overwrite', summary: 'Take what the type says, whatever people changed, deleted or made by hand' },
  ],
  details:
    'INSTANCES is a table, CSV or a workbook, with a column for each parameter; or a JSON list of objects; -: standard input. ' +
    'What people changed since the last time stays, and is shown.',
  examples: ['telltale config generate pump.json pumps.csv --dry-run'],
  run: async (call) => {
    const [typeFile = '', instancesFile = ''] = call.args;
    if (typeFile === '-' && instancesFile === '-')
      throw new UsageError('Only one of the two can be the standard input.');
    const type = parsed(await readInput(call, typeFile), typeFile) as GenerateRequest['type'];
    const bytes = await readInput(call, instancesFile);
    if (bytes.length === 0) throw new UsageError(`${instancesFile} is empty.`);
    const request = isJson(bytes)
      ? { type, instances: parsed(bytes, instancesFile) as NonNullable<GenerateRequest['instances']> }
      : { type, file: bytes.toString('base64') };
    await report(call, await send(call, request));
  },
};

async function send(call: Call, request: GenerateRequest): Promise<GenerateResult> {
  const { client, options, signal } = call;
  const progress = new Progress(call, 'generating', undefined);
  try {
    return await client.configuration.generate(request, {
      dryRun: outcomeOf(call).dryRun,
      ...renderingOf(call),
      deleteMissing: options.has('delete-missing'),
      overwrite: options.has('overwrite'),
      signal,
    });
  } finally {
    progress.end();
  }
}

async function report(call: Call, result: GenerateResult): Promise<void> {
  const { terminal, options } = call;
  const { dryRun, isRunning } = outcomeOf(call);
  if (terminal.isJson) {
    await terminal.json({ 'dry-run': dryRun, ...result, rendered: isRunning });
    return;
  }
  const { added, changed, removed, unchanged, changes, kept, left } = result;
  for (const { instance: _, ...change } of changes) await printChange(terminal, change);
  const more = added + changed + removed - changes.length;
  if (more > 0) await terminal.line(`and ${more} more`);
  for (const { family, name, change, madeName, fields = [] } of kept) {
    const what = {
      changed: 'changed by hand, stays so',
      deleted: 'deleted by hand, stays so',
      renamed: `was ${madeName}`,
    };
    await terminal.line({ text: `! ${family}/${name}`, style: 'yellow' }, { text: `  ${what[change]}`, style: 'dim' });
    for (const field of fields) await terminal.line(`    ${keptText(field)}`);
  }
  for (const { family, name, changedByHand } of left) {
    const hint = options.has('delete-missing')
      ? 'no longer made, but changed by hand; --overwrite deletes it'
      : `no longer made${changedByHand ? ', and changed by hand' : ''}; --delete-missing deletes it`;
    await terminal.line({ text: `? ${family}/${name}`, style: 'yellow' }, { text: `  ${hint}`, style: 'dim' });
  }
  const counts = `${added} added, ${changed} changed, ${removed} removed, ${unchanged} unchanged`;
  const hasChanged = added + changed + removed > 0;
  const hint = isRunning ? ' It runs.' : dryRun || !hasChanged ? '' : ' It runs after: telltale config render';
  await terminal.line(`${dryRun ? 'It would work: ' : ''}${counts}.${hint}`);
}

function keptText({ field, byHand, before, type }: KeptField): string {
  const text = (value: unknown) => (value === undefined ? 'not set' : JSON.stringify(value));
  const hasChanged = text(before) !== text(type);
  return `${field}: ${text(byHand)} by hand, ${text(type)} in the type${hasChanged ? `, which was ${text(before)}` : ''}`;
}

export const configTypicals: CommandDeclaration = {
  path: ['config', 'typicals'],
  summary: 'List what was generated: types, their instances, and the objects of each',
  arguments: [{ name: 'TYPE', optional: true }],
  options: [],
  examples: ['telltale config typicals', 'telltale config typicals pump'],
  run: async ({ client, terminal, args, signal }) => {
    const [wanted] = args;
    const typicals = await client.configuration.typicals({ signal });
    const chosen = Object.entries(typicals).filter(([type]) => wanted === undefined || type === wanted);
    if (terminal.isJson) {
      await terminal.json(Object.fromEntries(chosen));
      return;
    }
    const rows = chosen.flatMap(([type, instances]) =>
      Object.entries(instances).flatMap(([instance, objects]) =>
        objects.map(({ family, name, state }) => [type, instance, `${family}/${name}`, states[state]]),
      ),
    );
    if (rows.length > 0) await terminal.table(['TYPE', 'INSTANCE', 'OBJECT', 'SINCE THEN'], rows);
    else await terminal.line(wanted === undefined ? 'Nothing was generated.' : `Nothing was generated of ${wanted}.`);
  },
};

const states = { made: '', changed: 'changed by hand', deleted: 'deleted by hand' } as const;

/** A table does not begin with a bracket. */
function isJson(bytes: Buffer): boolean {
  return /^\ufeff?\s*\[\s*[{\]]/.test(bytes.subarray(0, 1000).toString());
}

function parsed(bytes: Buffer, file: string): unknown {
  try {
    return parseJson(bytes.toString().replace(/^\ufeff/, ''));
  } catch (error) {
    throw new UsageError(`${file === '-' ? 'The standard input' : file} is not JSON: ${(error as Error).message}.`);
  }
}
