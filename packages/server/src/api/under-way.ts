// Requests under way that take their time: those whose body still comes, and reads that are not answered yet. When the caller is
// gone, or what it may do there has changed, they end: nothing more is taken from it, and nothing more is shown to it.
import { type Needed, ProblemError } from '@telltale/schema';
import { type Caller, type Identities, isPermission } from '../access/index.ts';

type Ended = (problem: ProblemError) => void;

interface Request {
  readonly caller: Caller;
  readonly needed: Needed;
  /** Of its rights, when it began. */
  readonly scope: string;
  readonly onEnd: Ended;
}

export class UnderWay {
  readonly #requests = new Map<Caller, Set<Request>>();

  constructor(identities: Pick<Identities, 'onChanged'>) {
    identities.onChanged((caller, isGone) => this.#onChange(caller, isGone));
  }

  /** `onEnd` is called at most once, until what is returned is called. */
  begin(caller: Caller, needed: Needed, onEnd: Ended): () => void {
    const request: Request = { caller, needed, scope: scopeOf(caller, needed), onEnd };
    const who = caller.site?.caller ?? caller;
    const known = this.#requests.get(who);
    if (known === undefined) this.#requests.set(who, new Set([request]));
    else known.add(request);
    return () => this.#forget(who, request);
  }

  #forget(caller: Caller, request: Request): void {
    const requests = this.#requests.get(caller);
    requests?.delete(request);
    if (requests?.size === 0) this.#requests.delete(caller);
  }

  #onChange(caller: Caller, isGone: boolean): void {
    for (const request of [...(this.#requests.get(caller) ?? [])]) {
      if (!isGone && scopeOf(request.caller, request.needed) === request.scope) continue;
      this.#forget(caller, request);
      request.onEnd(problemOf(caller, isGone));
    }
  }
}

function scopeOf({ rights }: Caller, needed: Needed): string {
  return isPermission(needed) ? `${rights.scopeOf('view')} ${rights.scopeOf(needed)}` : '';
}

function problemOf({ author }: Caller, isGone: boolean): ProblemError {
  return isGone
    ? new ProblemError('not-signed-in', 'The session or token has ended while the request was under way.')
    : new ProblemError('not-allowed', `What ${author} may do has changed while the request was under way: ask again.`);
}
