// Carries out the planned reads of one agent: sends, holds the answer against what was asked, and adds the readings.
import { type Batch, type Clock, quality } from '@telltale/schema';
import { NoAnswer, Refused, type StackLog } from '@telltale/stack-kit';
import type { AgentSession } from './agent-session.ts';
import { tag } from './ber.ts';
import { nameOfOid } from './object-names.ts';
import { compareOids, parentOf } from './oid.ts';
import { errorStatus, type Pdu, pduType, statusName, type Varbind } from './pdu.ts';
import { getRequest, type PlannedObject, type ReadRequest } from './read-plan.ts';
import { addReading, isException } from './snmp-value.ts';

export class AgentReader {
  readonly #name: string;
  readonly #session: AgentSession;
  readonly #clock: Clock;
  readonly #log: StackLog;
  /** The number of objects that the agent has been found to support, if less than configured. */
  #limit = Number.POSITIVE_INFINITY;
  #isBulkBroken = false;

  constructor(name: string, session: AgentSession, { clock, log }: { readonly clock: Clock; readonly log: StackLog }) {
    this.#name = name;
    this.#session = session;
    this.#clock = clock;
    this.#log = log;
  }

  /** As a poller's `read`. */
  async read(request: ReadRequest, batch: Batch, signal: AbortSignal): Promise<void> {
    const answers = request.bulk === undefined || this.#isBulkBroken ? undefined : await this.#bulk(request, signal);
    const got = answers ?? (await this.#get(request.objects, signal, request));
    const nowUs = this.#clock.now();
    request.answers = got;
    request.failure = undefined;
    request.endedUs = nowUs;
    for (const [at, { point, address }] of request.objects.entries()) {
      const varbind = got[at];
      if (varbind === undefined) batch.none(point.id, quality.bad.configurationError, nowUs);
      else addReading(batch, point, varbind, address.form, nowUs);
    }
  }

  /** One value for each object, in their order. An answer that is too big for the agent is asked for in halves. */
  async #get(
    objects: readonly PlannedObject[],
    signal: AbortSignal,
    ready?: ReadRequest,
  ): Promise<(Varbind | undefined)[]> {
    if (objects.length > this.#limit) return this.#halves(objects, signal);
    const request = ready?.bulk === undefined && ready !== undefined ? ready : getRequest(this.#name, objects);
    const pdu = await this.#session.read({ type: pduType.get, varbinds: request.varbinds }, signal);
    if (pdu.errorStatus === errorStatus.tooBig && objects.length > 1) {
      this.#limit = Math.ceil(objects.length / 2);
      this.#log.info(
        `${this.#name}: ${objects.length} objects are too big for an answer: requesting at most ${this.#limit} from now on`,
      );
      return this.#halves(objects, signal);
    }
    if (pdu.errorStatus !== errorStatus.noError) throw refusal(pdu, objects);
    const isAnswer =
      pdu.varbinds.length === objects.length && pdu.varbinds.every(({ oid }, at) => oid === objects[at]?.address.oid);
    // An agent that answers something else is as good as silent: nothing of it is believed.
    if (!isAnswer) throw new NoAnswer('the agent answers with other objects than were asked for');
    return [...pdu.varbinds];
  }

  async #halves(objects: readonly PlannedObject[], signal: AbortSignal): Promise<(Varbind | undefined)[]> {
    const middle = Math.ceil(objects.length / 2);
    const first = await this.#get(objects.slice(0, middle), signal);
    return [...first, ...(await this.#get(objects.slice(middle), signal))];
  }

  /** Undefined where the agent does it wrong; then GET is used from now on. */
  async #bulk(request: ReadRequest, signal: AbortSignal): Promise<(Varbind | undefined)[] | undefined> {
    const { columns, repetitions } = request.bulk ?? { columns: [], repetitions: 0 };
    const question = { type: pduType.getBulk, first: 0, second: repetitions, varbinds: request.varbinds };
    const pdu = await this.#session.read(question, signal);
    if (pdu.errorStatus === errorStatus.tooBig) return undefined;
    if (pdu.errorStatus !== errorStatus.noError) throw refusal(pdu, request.objects);
    const found = new Map<string, Varbind>();
    /** How far the agent has walked in each column. */
    const reached: (string | undefined)[] = columns.map(() => undefined);
    for (const [at, varbind] of pdu.varbinds.entries()) {
      const column = at % columns.length;
      const last = reached[column];
      if (isException(varbind.tag)) {
        reached[column] = endOfAll;
      } else if (last === endOfAll || compareOids(varbind.oid, last ?? columns[column] ?? '') <= 0) {
        this.#isBulkBroken = true;
        this.#log.warn(`${this.#name} answers GETBULK out of order: it is read by GET from now on`);
        return undefined;
      } else {
        reached[column] = varbind.oid;
        found.set(varbind.oid, varbind);
      }
    }
    const answers = request.objects.map(({ address: { oid } }) => {
      const end = reached[columns.indexOf(parentOf(oid))];
      const isPassed = end !== undefined && (end === endOfAll || compareOids(end, oid) > 0);
      return found.get(oid) ?? (isPassed ? { oid, tag: tag.noSuchInstance, content: noContent } : undefined);
    });
    // An answer ends where it is full: what it has not come to is asked for by itself.
    const missed = request.objects.filter((_, at) => answers[at] === undefined);
    if (missed.length === 0) return answers;
    const rest = await this.#get(missed, signal);
    return answers.map((answer) => answer ?? rest.shift());
  }
}

/** After every object identifier. */
const endOfAll = '3';
const noContent = Buffer.alloc(0);

/** In the words of the standard, with the object that the agent blames. */
export function refusal(pdu: Pdu, objects: readonly PlannedObject[]): Refused {
  const culprit = objects[pdu.errorIndex - 1]?.address.oid;
  return new Refused(
    `the agent answers ${statusName(pdu.errorStatus)}${culprit === undefined ? '' : ` for ${nameOfOid(culprit)}`}`,
  );
}
