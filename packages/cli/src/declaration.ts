// How a command is declared. The parser, the help and the completion are made from the same declarations.
import type { TelltaleClient } from '@telltale/client';
import type { Clock, Family } from '@telltale/schema';
import type { ChosenServer, ChosenToken } from './chosen.ts';
import type { Terminal } from './terminal.ts';

export interface OptionDeclaration {
  /** Without the dashes. An option of this name means the same in every command that has it. */
  readonly name: string;
  /** What stands after it, such as SECONDS; without it the option is a flag. */
  readonly value?: string;
  readonly summary: string;
  /** For completion. */
  readonly names?: Named;
  readonly values?: readonly string[];
}

/** What the names of an argument name. */
/** Those of access are looked up there. */
export type NamedByAccess = 'users' | 'roles' | 'tokens';
export type Named = Family | NamedByAccess | 'revisions' | 'contexts' | 'commands in all' | 'the family before it';

export interface ArgumentDeclaration {
  /** In capitals. */
  readonly name: string;
  readonly optional?: true;
  /** For completion and did-you-mean. */
  readonly names?: Named;
  readonly values?: readonly string[];
}

export interface CommandDeclaration {
  readonly path: readonly [string, ...string[]];
  readonly summary: string;
  readonly arguments: readonly ArgumentDeclaration[];
  /** From this argument on they may come again and again. */
  readonly repeatsFrom?: number;
  /** How its arguments look, where that says more than their list. */
  readonly usage?: string;
  readonly options: readonly OptionDeclaration[];
  /** Lines of explanation for the help of this command. */
  readonly details?: string;
  readonly examples?: readonly string[];
  /** Another word for a command that the help lists. */
  readonly isAlias?: true;
  /** True where no server is asked: then it does not matter which one is meant. */
  readonly isLocal?: true;
  /** True where Ctrl-C is how it ends. */
  readonly isEndless?: true;
  readonly run: (call: Call) => Promise<void>;
}

export interface CommandLine {
  readonly command: CommandDeclaration;
  readonly args: readonly string[];
  readonly options: ReadonlyMap<string, string>;
}

/** Instead of what other commands have. */
export interface ConnectOptions {
  readonly token?: string;
  readonly fetch?: typeof fetch;
}

export interface Call extends CommandLine {
  readonly client: TelltaleClient;
  /** The one that `client` asks, and who it asks as; undefined: it brings nothing. */
  readonly server: ChosenServer;
  readonly token: ChosenToken | undefined;
  /** Another client. */
  readonly connect: (server: ChosenServer, options: ConnectOptions) => TelltaleClient;
  readonly terminal: Terminal;
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** The bytes of a file, or of the standard input for `-`. */
  readonly input: NodeJS.ReadableStream;
}

export const exitCodes = { good: 0, refused: 1, usage: 2, unreachable: 3, interrupted: 130 } as const;

/** The command line is wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The person at the terminal has ended it. */
export class Interrupted extends Error {
  override readonly name = 'Interrupted';
}

/** It was understood and cannot be done; the message says why and what to do. */
export class Refused extends Error {
  override readonly name = 'Refused';
}

/** How the arguments of a command look: `NAME VALUE [NAME VALUE…]`. */
export function argumentsText({ arguments: declared, repeatsFrom }: CommandDeclaration): string {
  const once = declared.slice(0, repeatsFrom ?? declared.length);
  const again = repeatsFrom === undefined ? [] : declared.slice(repeatsFrom);
  const text = ({ name, optional }: ArgumentDeclaration) => (optional ? `[${name}]` : name);
  const parts = once.map(text);
  const names = again.map(({ name }) => name).join(' ');
  if (again.length === 1) parts.push(again[0]?.optional ? `[${names}…]` : `${names}…`);
  if (again.length > 1) parts.push(again[0]?.optional ? `[${names}…]` : `${names} [${names}…]`);
  return parts.join(' ');
}

export function optionText({ name, value, values }: OptionDeclaration): string {
  return value === undefined ? `--${name}` : `--${name} ${values?.join('|') ?? value}`;
}
