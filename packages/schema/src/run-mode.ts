// When a function module runs: `service` (always, the default), `once` (to its end, when the service starts), or `cron` and
// times.
import { type CronSchedule, parseCron } from './cron.ts';

export type RunMode =
  | { readonly kind: 'service' }
  | { readonly kind: 'once' }
  | { readonly kind: 'cron'; readonly schedule: CronSchedule };

/** Undefined is `service`. The fault is for people, and goes after the name of the field. */
export function parseRunMode(text: string | undefined): { runMode: RunMode } | { fault: string } {
  const mode = text?.trim() ?? 'service';
  if (mode === 'service' || mode === 'once') return { runMode: { kind: mode } };
  const [, times] = /^cron(?:[ \t]+(.*))?$/s.exec(mode) ?? [];
  if (times === undefined && mode !== 'cron') {
    return { fault: 'must be service, once, or cron and times, such as cron 0 6 * * mon-fri' };
  }
  const read = parseCron(times ?? '');
  return 'fault' in read ? read : { runMode: { kind: 'cron', schedule: read.schedule } };
}
