// The log: lines for people on a terminal, JSON for machines elsewhere.
import { type Logger, pino } from 'pino';

const levels: Record<number, string> = { 10: 'trace', 20: 'debug', 30: 'info', 40: 'warn', 50: 'error', 60: 'fatal' };

export function createLog(level: string, output: NodeJS.WriteStream): Logger {
  const destination = output.isTTY ? { write: (line: string) => output.write(forPeople(line)) } : output;
  return pino({ level, base: null, timestamp: pino.stdTimeFunctions.isoTime }, destination);
}

function forPeople(line: string): string {
  const { time, level, msg, err, ...rest } = JSON.parse(line) as {
    time: string;
    level: number;
    msg: string;
    err?: { stack?: string };
  };
  const fields = Object.entries(rest).map(([key, value]) => ` ${key}=${JSON.stringify(value)}`);
  const stack = err?.stack === undefined ? '' : `\n${err.stack}`;
  return `${time.slice(11, 23)} ${(levels[level] ?? '').padEnd(5)} ${msg}${fields.join('')}${stack}\n`;
}
