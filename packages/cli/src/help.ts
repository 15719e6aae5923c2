// The help, made from the declarations.

import { didYouMean } from '@telltale/schema/nearest-name';
import {
  argumentsText,
  type CommandDeclaration,
  exitCodes,
  type OptionDeclaration,
  optionText,
  UsageError,
} from './declaration.ts';

/** Of everything, of a group such as `config`, or of one command. */
export function helpText(
  words: readonly string[],
  commands: readonly CommandDeclaration[],
  globalOptions: readonly OptionDeclaration[],
): string {
  const group = commands.filter(({ path }) => words.every((word, at) => path[at] === word));
  const [only] = group;
  if (only === undefined) {
    const all = commands.map(({ path }) => path.join(' '));
    throw new UsageError(`There is no command ${JSON.stringify(words.join(' '))}.${didYouMean(words.join(' '), all)}`);
  }
  const exact = group.find(({ path }) => path.length === words.length);
  const parts = exact === undefined ? [] : [helpOf(exact)];
  const others = group.filter((each) => each !== exact && !each.isAlias);
  if (words.length === 0) parts.push('telltale COMMAND: Telltale at a terminal. JSON where the output is piped.\n');
  if (others.length > 0)
    parts.push(
      rows(
        'Commands',
        others.map((each) => [[...each.path, argumentsOf(each)].join(' ').trim(), each.summary]),
      ),
    );
  if (words.length === 0 || exact !== undefined) {
    parts.push(
      rows(
        'Options of every command',
        globalOptions.map((option) => [optionText(option), option.summary]),
      ),
    );
  }
  if (words.length === 0) {
    parts.push('telltale help COMMAND has its options and examples.\n');
    parts.push('What follows -- is data: telltale read -- --help\n');
    const { good, refused, usage, unreachable } = exitCodes;
    parts.push(
      `Ends with ${good} where all is good, ${refused} refused or failed, ${usage} wrong usage, ${unreachable} unreachable.\n`,
    );
  }
  return parts.join('\n');
}

function helpOf(command: CommandDeclaration): string {
  const { summary, details, options, examples = [] } = command;
  const parts = [`telltale ${usageOf(command)}\n\n${summary}.\n`];
  if (details !== undefined) parts.push(`${details}\n`);
  if (options.length > 0)
    parts.push(
      rows(
        'Options',
        options.map((option) => [optionText(option), option.summary]),
      ),
    );
  if (examples.length > 0) parts.push(`Examples\n${examples.map((example) => `  ${example}\n`).join('')}`);
  return parts.join('\n');
}

export function usageOf(command: CommandDeclaration): string {
  const options = command.options.filter(({ name }) => !command.usage?.includes(`--${name}`));
  const texts = options.map((option) => `[${optionText(option)}]`);
  return [...command.path, argumentsOf(command), ...texts].filter((part) => part !== '').join(' ');
}

const argumentsOf = (command: CommandDeclaration): string => command.usage ?? argumentsText(command);

/** A heading and two columns; where the first is long, the second goes below. */
function rows(heading: string, lines: readonly (readonly [string, string])[]): string {
  const width = 26;
  const texts = lines.map(([left, right]) =>
    left.length <= width ? `  ${left.padEnd(width)}  ${right}\n` : `  ${left}\n  ${' '.repeat(width)}  ${right}\n`,
  );
  return `${heading}\n${texts.join('')}`;
}
