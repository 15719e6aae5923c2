// The log of one stack, bounded: a stack that never stops talking costs neither the disk nor the other thread.
import type { Clock } from '@telltale/schema';
import type { StackLog } from '@telltale/stack-kit';
import type { LogLevel } from './protocol.ts';

const maxLines = 100;
const windowMs = 10_000;
const maxLineLength = 2000;

/** At most 100 lines in 10 s; how many were left out is said by the next line after that. */
export function createLimitedLog(clock: Clock, write: (level: LogLevel, text: string) => void): StackLog {
  let [windowEndMs, lines, leftOut] = [Number.NEGATIVE_INFINITY, 0, 0];
  const line = (level: LogLevel) => (message: unknown) => {
    const nowMs = clock.monotonicMs();
    if (nowMs >= windowEndMs) {
      if (leftOut > 0)
        write('warn', `${leftOut} lines of the log were left out: at most ${maxLines} in 10 s are logged`);
      [windowEndMs, lines, leftOut] = [nowMs + windowMs, 0, 0];
    }
    if (++lines > maxLines) {
      leftOut++;
      return;
    }
    const text = typeof message === 'string' ? message : 'a line that is no text';
    write(level, text.length > maxLineLength ? `${text.slice(0, maxLineLength)}…` : text);
  };
  return { debug: line('debug'), info: line('info'), warn: line('warn'), error: line('error') };
}
