// Time zones by their names in the IANA database.

/** The name as it is written there; undefined where there is no such zone. */
export function knownTimeZone(name: string): string | undefined {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone;
  } catch {
    return undefined;
  }
}

/** Of this machine; UTC where it does not say it. */
export function ownTimeZone(): string {
  return new Intl.DateTimeFormat('en').resolvedOptions().timeZone || 'UTC';
}
