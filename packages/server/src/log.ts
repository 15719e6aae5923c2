// The log: lines for people on a terminal, JSON for machines elsewhere.
import { type Logger, pino } from 'pino';
import { createSourceStack } from './source-stack.ts';

const levels: Record<number, string> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' };

export function createLog(level: string, output: NodeJS.WriteStream): Logger {
  const destination = output.isTTY ? { write: (line: string) => output.write(forPeople(line)) } : output;
  const sourceStack = createSourceStack();
  const err = (error: Error) => {
    const serialized = pino.stdSerializers.err(error);
    return error instanceof Error ? { ...serialized, stack: sourceStack(serialized.stack) } : serialized;
  };
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime, serializers: { err } };
  return pino(options, destination);
}

function forPeople(line: string): string {
  const { time, level, msg, err, ...rest } = JSON.parse(line) as {
    time: string;
    level: number;
    msg: string;
    err?: { stack?: string };
  };
  const fields = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  const stack = err?.stack?.split('\n').map((each) => `\n${escaped(each)}`) ?? [];
  const text = escaped(`${msg}${fields.join('')}`);
  return `${time.slice(11, 23)} ${(levels[level] ?? '').padEnd(5)} ${text}${stack.join('')}\n`;
}

/**
 * Names from devices, clients and files appear in the log: none may move the cursor, colour or hide its surroundings,
 * or look like another line. Control characters, line separators and marks of direction are escaped.
 */
function escaped(text: string): string {
  return text.replaceAll(
    /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
