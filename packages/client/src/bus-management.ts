// Who may connect to the bus of a centre, over HTTP.
import type { BusCode, BusMemberRole, BusMembers, BusRevoked } from '@telltale/schema';
import { OperationCalls } from './operation-calls.ts';
import type { AskOptions, Transport } from './transport.ts';

export interface Invited {
  /** For people. */
  readonly name: string;
  /** A site where it is not given. */
  readonly role?: BusMemberRole | undefined;
  /** How long the code is good; an hour where it is not given. */
  readonly seconds?: number | undefined;
}

export class BusManagement {
  readonly #calls: OperationCalls;

  constructor(transport: Transport) {
    this.#calls = new OperationCalls(transport);
  }

  members({ signal }: AskOptions = {}): Promise<BusMembers> {
    return this.#calls.json('listBusMembers', {}, { signal });
  }

  /** The code is in the answer and nowhere else. */
  invite(invited: Invited, { signal }: AskOptions = {}): Promise<BusCode> {
    return this.#calls.json('inviteToBus', { role: undefined, seconds: undefined, ...invited }, { signal });
  }

  /** A member, or an invitation, by its id. */
  revoke(member: string, { signal }: AskOptions = {}): Promise<BusRevoked> {
    return this.#calls.json('revokeBusMember', { member }, { signal });
  }
}
