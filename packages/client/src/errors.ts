// What goes wrong for a client: an answer that refuses, no answer at all, or a reader that does not keep up.
import type { Fault, ItemResult, Problem } from '@telltale/schema';
import { type ProblemName, problemPage, problems } from '@telltale/schema/values';

/** The service has answered, and refuses. */
export class TelltaleProblem extends Error {
  override readonly name = 'TelltaleProblem';
  readonly type: string;
  readonly title: string;
  readonly status: number;
  readonly detail: string;
  readonly errors: readonly Fault[];
  /** Of a batch on the channel: what became of each item. */
  readonly results: readonly ItemResult[];

  constructor({ type, title, status, detail, errors = [] }: Problem, results: readonly ItemResult[] = []) {
    super(detail === '' ? title : detail.startsWith(title) ? detail : `${title}. ${detail}`); // not the same twice
    this.type = type;
    this.title = title;
    this.status = status;
    this.detail = detail;
    this.errors = errors;
    this.results = results;
  }

  /** Its name in the catalogue of problems, such as `unknown-object`; empty where the answer names none. */
  get problem(): string {
    return /#problem-([a-z-]+)$/.exec(this.type)?.[1] ?? '';
  }

  /** What to do about it, where the catalogue knows. */
  get remedy(): string | undefined {
    return Object.hasOwn(problems, this.problem) ? problems[this.problem as ProblemName].remedy : undefined;
  }

  static of(name: ProblemName, detail: string): TelltaleProblem {
    const { title, status } = problems[name];
    return new TelltaleProblem({ type: problemPage(name), title, status, detail });
  }

  toJSON(): Problem {
    const { type, title, status, detail, errors } = this;
    return { type, title, status, detail, ...(errors.length > 0 && { errors: [...errors] }) };
  }
}

/** There is no answer that can be understood. The message says what to do. */
export class Unreachable extends Error {
  override readonly name = 'Unreachable';
  /** False only where the request is known not to have reached the service: a write may have happened otherwise. */
  readonly mayHaveHappened: boolean;

  constructor(message: string, { mayHaveHappened, cause }: { mayHaveHappened: boolean; cause?: unknown }) {
    super(message, { cause });
    this.mayHaveHappened = mayHaveHappened;
  }
}

/** Ends an iteration over alarms, of which none may be passed over, when its reader lets too many pile up. */
export class Overrun extends Error {
  override readonly name = 'Overrun';
}

/** Reads the body of an error; what is no problem in its form becomes one. */
export function readProblem(body: unknown, status: number, text: string): Problem {
  const { type, title, detail, errors } = (body ?? {}) as Partial<Record<keyof Problem, unknown>>;
  return {
    type: typeof type === 'string' ? type : 'about:blank',
    title: typeof title === 'string' ? title : `The answer is ${status}`,
    status,
    detail: typeof detail === 'string' ? detail : text.slice(0, 200).replaceAll(/\s+/g, ' ').trim(),
    ...(Array.isArray(errors) && { errors: errors.filter(isFault) }),
  };
}

function isFault(fault: unknown): fault is Fault {
  const { path, message } = (fault ?? {}) as Partial<Fault>;
  return typeof path === 'string' && typeof message === 'string';
}
