// `telltale module new`: a program to begin with.
import { constants, copyFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { isIdentifier } from '@telltale/schema';
import { type CommandDeclaration, Refused, UsageError } from '../declaration.ts';
import { asRefused } from '../files.ts';

const endings = { ts: 'ts', python: 'py', shell: 'sh' } as const;
type Language = keyof typeof endings;

/** Of a build, or of the sources. */
const templatesUrl = new URL(import.meta.url.endsWith('.ts') ? '../../templates/' : './templates/', import.meta.url);

export const moduleNew: CommandDeclaration = {
  path: ['module', 'new'],
  summary: 'Create a template of a program in this folder: NAME.ts, NAME.py or NAME.sh',
  arguments: [{ name: 'NAME' }],
  options: [{ name: 'language', value: 'LANGUAGE', values: Object.keys(endings), summary: 'Default: ts' }],
  details: 'The template works on the demo plant. Existing files are not overwritten.',
  examples: ['telltale module new gate_panel', 'telltale module new gate_panel --language python'],
  run: async ({ args, options, terminal }) => {
    const [name = ''] = args;
    if (!isIdentifier(name)) {
      throw new UsageError(`${JSON.stringify(name)} is not a name: 1 to 64 characters of 0-9, a-z, A-Z and _.`);
    }
    const ending = endings[(options.get('language') ?? 'ts') as Language];
    const file = `${name}.${ending}`;
    const template = fileURLToPath(new URL(`module.${ending}`, templatesUrl));
    await copyFile(template, file, constants.COPYFILE_EXCL).catch((error) => {
      if (error.code === 'EEXIST') throw new Refused(`${file} exists already: use another name, or move the file.`);
      throw asRefused(error, `${file} cannot be written`);
    });
    const next = `telltale module upload ${name} ${file} --create --writes gate_panel_text --render`;
    if (terminal.isJson) await terminal.json({ written: file, next });
    else await terminal.line(`${file} was created. To run it: ${next}`);
  },
};
