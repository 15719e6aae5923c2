// Reads the words of a command line by the declarations of the commands. Arguments are data: what follows `--` is
// never an option nor a command, and a negative number is a value.

import { booleanForms, parseBoolean } from '@telltale/schema';
import { didYouMean } from '@telltale/schema/nearest-name';
import {
  argumentsText,
  type CommandDeclaration,
  type CommandLine,
  type OptionDeclaration,
  UsageError,
} from './declaration.ts';

export interface Words {
  /** Words before `--` that are no options. */
  readonly plain: readonly string[];
  /** Words after it. */
  readonly data: readonly string[];
  readonly options: ReadonlyMap<string, string>;
}

/** Separates options from the rest. */
export function readWords(
  args: readonly string[],
  commands: readonly CommandDeclaration[],
  globalOptions: readonly OptionDeclaration[],
): Words {
  const every = [...globalOptions, ...commands.flatMap(({ options }) => options)];
  const known = new Map(every.map((option) => [option.name, option]));
  const found = new Map<string, string>();
  const plain: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const word = args[at] ?? '';
    if (word === '--') return { plain, data: args.slice(at + 1), options: found };
    if (!word.startsWith('-') || word === '-' || /^-\.?\d/.test(word)) {
      plain.push(word);
      continue;
    }
    const [, name = '', text] = /^--([^=]+)(?:=(.*))?$/s.exec(word) ?? [];
    const option = known.get(name);
    if (option === undefined) {
      const command = findCommand(plain, commands);
      const fitting = command === undefined ? every : [...globalOptions, ...command.options];
      const hint = didYouMean(
        word.replace(/=.*/s, ''),
        fitting.map((each) => `--${each.name}`),
      );
      throw new UsageError(`There is no option ${shown(word)}.${hint} Put arguments that begin with - after --.`);
    }
    if (option.value === undefined) {
      const isSet = text === undefined || parseBoolean(text);
      if (isSet === undefined) throw new UsageError(`--${name} is ${booleanForms}, not ${shown(text ?? '')}.`);
      if (isSet) found.set(name, '');
      else found.delete(name);
    } else {
      const value = text ?? args[++at];
      if (value === undefined) throw new UsageError(`--${name} needs ${option.value} after it.`);
      if (option.values?.includes(value) === false) {
        throw new UsageError(`--${name} is one of ${option.values.join(', ')}, not ${shown(value)}.`);
      }
      found.set(name, value);
    }
  }
  return { plain, data: [], options: found };
}

/** The command with the longest path that the words begin with. */
export function findCommand(
  words: readonly string[],
  commands: readonly CommandDeclaration[],
): CommandDeclaration | undefined {
  const fits = commands.filter(({ path }) => path.every((part, at) => words[at] === part));
  return fits.sort((a, b) => b.path.length - a.path.length)[0];
}

export function parseCommandLine(
  args: readonly string[],
  commands: readonly CommandDeclaration[],
  globalOptions: readonly OptionDeclaration[],
): CommandLine {
  const { plain, data, options } = readWords(args, commands, globalOptions);
  const command = findCommand(plain, commands);
  if (command === undefined) throw unknownCommand(plain, commands);
  const allowed = [...globalOptions, ...command.options].map(({ name }) => name);
  for (const name of options.keys()) {
    if (!allowed.includes(name)) {
      throw new UsageError(
        `--${name} does not go with ${command.path.join(' ')}; telltale help ${command.path.join(' ')}`,
      );
    }
  }
  const values = [...plain.slice(command.path.length), ...data];
  checkCount(values, command);
  checkValues(values, command);
  return { command, args: values, options };
}

function checkCount(args: readonly string[], command: CommandDeclaration): void {
  const { arguments: declared, repeatsFrom } = command;
  const least = declared.filter(({ optional }) => optional === undefined).length;
  const group = repeatsFrom === undefined ? 0 : declared.length - repeatsFrom;
  const isWhole = group === 0 || args.length <= (repeatsFrom ?? 0) || (args.length - (repeatsFrom ?? 0)) % group === 0;
  if (args.length >= least && (args.length <= declared.length || group > 0) && isWhole) return;
  const usage = ['telltale', ...command.path, argumentsText(command)].join(' ').trim();
  const [first] = command.path.length === 1 && args.length > declared.length ? args : [];
  throw new UsageError(
    `${first === undefined ? '' : `${shown(first)} is one argument too many. `}The command is: ${usage}`,
  );
}

function checkValues(args: readonly string[], { arguments: declared }: CommandDeclaration): void {
  for (const [at, { name, values }] of declared.entries()) {
    const word = args[at];
    if (word === undefined || values === undefined || values.includes(word)) continue;
    throw new UsageError(`${name} is one of ${values.join(', ')}, not ${shown(word)}.${didYouMean(word, values)}`);
  }
}

function unknownCommand(words: readonly string[], commands: readonly CommandDeclaration[]): UsageError {
  const [first = '', second] = words;
  const group = commands.filter(({ path }) => path[0] === first);
  if (words.length === 0) return new UsageError('A command is required: telltale help lists them.');
  if (group.length > 0) {
    const verbs = group.map(({ path }) => path[1] ?? '');
    const what = second === undefined ? 'What about it?' : `There is no ${first} ${shown(second)}.`;
    return new UsageError(`${what} It is one of ${verbs.join(', ')}.${didYouMean(second ?? '', verbs)}`);
  }
  const hint = didYouMean(first, new Set(commands.map(({ path }) => path[0])));
  return new UsageError(`There is no command ${shown(first)}.${hint} telltale help lists them all.`);
}

function shown(word: string): string {
  return JSON.stringify(word.length > 60 ? `${word.slice(0, 60)}…` : word);
}
