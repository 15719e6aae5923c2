// Runs one command line: reads it, makes the client, and turns what goes wrong into one line and an exit code.
import { defaultUrl, TelltaleClient, TelltaleProblem, Unreachable } from '@telltale/client';
import { type Clock, printable } from '@telltale/schema';
import { chooseServer } from './choose-server.ts';
import type { ChosenServer, ChosenToken } from './chosen.ts';
import { commands, globalOptions } from './commands.ts';
import { chooseToken } from './credentials.ts';
import { type CommandLine, type ConnectOptions, exitCodes, Interrupted, Refused, UsageError } from './declaration.ts';
import { isSystemError } from './files.ts';
import { helpText } from './help.ts';
import { readSeconds } from './moments.ts';
import { parseCommandLine, readWords } from './parse-command-line.ts';
import { remedyOf } from './remedies.ts';
import { type Stream, Terminal } from './terminal.ts';
import { trustRemedy, trustServer } from './trust.ts';

export interface World {
  readonly out: Stream;
  readonly err: Stream;
  readonly input: NodeJS.ReadableStream;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly clock: Clock;
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
}

/** Returns the exit code; throws nothing. */
export async function run(args: readonly string[], world: World): Promise<number> {
  const { out, err, signal } = world;
  let line: CommandLine | undefined;
  let token: ChosenToken | undefined;
  try {
    const asked = askedFor(args);
    if (asked === 'version') {
      out.write(`${world.version}\n`);
    } else if (asked !== undefined) {
      out.write(helpText(asked, commands, globalOptions));
    } else {
      line = parseCommandLine(args, commands, globalOptions);
      const { options } = line;
      const color = !options.has('no-color') && (world.environment.NO_COLOR ?? '') === '';
      const terminal = new Terminal({ out, err, json: options.has('json'), color });
      const server = line.command.isLocal
        ? { url: defaultUrl, by: '' }
        : await chooseServer(options, world.environment);
      if (!line.command.isLocal) {
        await trustServer(server, options, world.environment);
        token = await chooseToken(options, world.environment, server);
      }
      const connect = (to: ChosenServer, how: ConnectOptions) => makeClient(options, to, terminal, how);
      const client = connect(server, token === undefined ? {} : { token: token.token });
      await line.command.run({ ...line, terminal, client, server, token, connect, ...world });
    }
    return exitCodes.good;
  } catch (error) {
    if (signal.aborted) return line?.command.isEndless ? exitCodes.good : interrupted(err);
    if (error instanceof Interrupted) return exitCodes.interrupted;
    const { text, code } = explain(error, token);
    err.write(`telltale: ${printable(text)}\n`);
    for (const detail of detailsOf(error)) err.write(`  ${printable(detail)}\n`);
    return code;
  }
}

/** The words whose help is asked for by --help, or that the version is. */
function askedFor(args: readonly string[]): readonly string[] | 'version' | undefined {
  if (args.length === 0) return [];
  const { plain, options } = readWords(args, commands, globalOptions);
  if (options.has('version')) return 'version';
  if (!options.has('help')) return undefined;
  const known = plain.findIndex(
    (_, at) => !commands.some(({ path }) => plain.slice(0, at + 1).every((word, i) => path[i] === word)),
  );
  return plain.slice(0, known < 0 ? plain.length : Math.max(1, known));
}

function makeClient(
  options: CommandLine['options'],
  server: ChosenServer,
  terminal: Terminal,
  { token, fetch: ask = fetch }: ConnectOptions,
): TelltaleClient {
  const { url } = server;
  const timeout = options.get('timeout');
  const timeoutS = timeout === undefined ? 30 : readSeconds('timeout', timeout, 86_400);
  try {
    return new TelltaleClient({ url, timeoutMs: timeoutS * 1000, fetch: tellingWhere(server, terminal, ask), token });
  } catch {
    throw new UsageError(`${JSON.stringify(url)} is not an address: http://HOST:PORT/ is expected.`);
  }
}

/** Where a context says which server is asked, it is said once before anything is sent that may change something there. */
function tellingWhere({ context, url }: ChosenServer, terminal: Terminal, ask: typeof fetch): typeof fetch {
  let isTold = context === undefined;
  return (input, init) => {
    const isChange = !['GET', 'HEAD'].includes(init?.method ?? 'GET');
    if (isChange && !isTold) terminal.note(`To ${context}, ${url}:`);
    isTold ||= isChange;
    return ask(input, init);
  };
}

function interrupted(err: Stream): number {
  err.write('telltale: interrupted; what was already sent may have been carried out.\n');
  return exitCodes.interrupted;
}

function explain(error: unknown, token: ChosenToken | undefined): { text: string; code: number } {
  if (error instanceof UsageError) return { text: error.message, code: exitCodes.usage };
  if (error instanceof Refused) return { text: error.message, code: exitCodes.refused };
  if (error instanceof Unreachable) {
    const remedy = trustRemedy(error.message) ?? '--url, --context or TELLTALE_URL says where it is.';
    return { text: `${error.message} ${remedy}`, code: exitCodes.unreachable };
  }
  if (error instanceof TelltaleProblem) {
    const { message, errors } = error;
    const remedy = errors.length > 0 ? undefined : remedyOf(error, token);
    return { text: remedy ? `${message} ${remedy}` : message, code: exitCodes.refused };
  }
  if (isSystemError(error)) return { text: `${error.message}.`, code: exitCodes.refused };
  const { stack, message } = error as Error;
  return { text: `this is a fault of telltale itself: ${stack ?? message}`, code: exitCodes.refused };
}

const mostDetails = 20;

/** What is wrong in detail, where the problem has several things to say. */
function detailsOf(error: unknown): string[] {
  if (!(error instanceof TelltaleProblem)) return [];
  const [only, ...others] = error.errors;
  if (only !== undefined && others.length === 0 && error.message.includes(only.message)) return [];
  const lines = error.errors.slice(0, mostDetails).map(({ path, message }) => `${path} ${message}`);
  const left = error.errors.length - lines.length;
  return left > 0 ? [...lines, `and ${left} more`] : lines;
}
