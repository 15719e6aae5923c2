// Why a connection to a broker was lost or refused, as the host is told.
import { BackOff, NotConnected } from '@telltale/stack-kit';
import { isUnwelcome } from './reason-code.ts';

const refusedBackOffMs = 30_000;

export function lost(message: string): NotConnected {
  return new NotConnected(message || 'the connection to the broker is lost');
}

/** Undefined where it was no refusal. */
export function refusal(error: Error & { code?: unknown }): NotConnected | undefined {
  return isUnwelcome(error.code) ? new BackOff(refusedBackOffMs, error.message) : undefined;
}
