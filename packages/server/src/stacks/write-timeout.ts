// How long a write of a connector may take: its property `writeTimeout`, or the setting of the service.
import type { Instance } from './protocol.ts';

/** `onWrong`: what is wrong with the property, which is ignored then. */
export function writeTimeoutOf(
  { properties }: Instance,
  defaultMs: number,
  onWrong: (text: string) => void = () => {},
): number {
  const text = Object.hasOwn(properties, 'writeTimeout') ? properties.writeTimeout : undefined;
  if (text === undefined) return defaultMs;
  if (/^[1-9][0-9]{0,5}$/.test(text)) return Number(text);
  onWrong(`the property writeTimeout is ignored: it must be 1 to 999999 ms, not ${JSON.stringify(text)}`);
  return defaultMs;
}
