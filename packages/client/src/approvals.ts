// What must be signed, and what waits for a second person, over HTTP.
import type { Approval, Signature, SignedAction } from '@telltale/schema';
import { OperationCalls } from './operation-calls.ts';
import type { AskOptions, Transport } from './transport.ts';

export class Approvals {
  readonly #calls: OperationCalls;

  constructor(transport: Transport) {
    this.#calls = new OperationCalls(transport);
  }

  /** Signs an action: it is done, or it is `pending` and has an `id`, where a second person has to approve it. */
  sign(action: SignedAction, { signal }: AskOptions = {}): Promise<Approval> {
    return this.#calls.json('signAction', action, { signal });
  }

  /** What waits, and what did so within the last day; the newest first. */
  list({ signal }: AskOptions = {}): Promise<Approval[]> {
    return this.#calls.json('listApprovals', {}, { signal });
  }

  get(approval: string, { signal }: AskOptions = {}): Promise<Approval> {
    return this.#calls.json('getApproval', { approval }, { signal });
  }

  /** Resolves when what another person has requested is done. */
  approve(approval: string, signature: Signature, { signal }: AskOptions = {}): Promise<void> {
    return this.#calls.send('approveAction', { approval, ...signature }, { signal });
  }

  /** Or withdraws an own request. */
  reject(approval: string, { reason, signal }: AskOptions & { readonly reason?: string | undefined } = {}) {
    return this.#calls.send('rejectAction', { approval, reason }, { signal });
  }
}
