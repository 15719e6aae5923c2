// A connector or provider that somebody has taken out of service: who, when and why, and how that is stored and told.
import { formatTimestamp } from '@telltale/schema';
import type { LinkRole } from './links.ts';

export interface DisabledLink {
  readonly by: string;
  readonly timeUs: number;
  readonly reason?: string | undefined;
}

/** `name` is the role and the name. */
export interface StoredDisabledLink extends DisabledLink {
  readonly name: string;
}

/** Each resolves when it is on disk, in the order of the calls. */
export interface DisabledLinkStore {
  saveDisabledLink(stored: StoredDisabledLink): Promise<void>;
  deleteDisabledLink(name: string): Promise<void>;
}

/** A sentence, such as `Connector plc was disabled by anna at 2026-11-15T13:40:12.683000Z: pump is being replaced.` */
export function disabledText(role: LinkRole, name: string, { by, timeUs, reason }: DisabledLink): string {
  const subject = role === 'connector' ? 'Connector' : 'Provider';
  const why = reason === undefined ? '' : `: ${reason.replace(/[.\s]+$/, '')}`;
  return `${subject} ${name} was disabled by ${by} at ${formatTimestamp(timeUs)}${why}.`;
}
