// What is wrong with the address of a store, for the person who starts the server.
import { BadAddress, readAddress } from './postgres/address.ts';

/** Undefined where nothing is. The setting is shown to people, and in the list of processes: it may have no password. */
export function addressFault(address: string): string | undefined {
  try {
    if (readAddress(address).password === undefined) return undefined;
    return 'has a password, which everybody on this machine could see: write it to a file, as host:port:database:user:password, chmod 600 it, and name it by ?passfile=';
  } catch (error) {
    if (error instanceof BadAddress) return `is none: ${error.message}`;
    throw error;
  }
}
