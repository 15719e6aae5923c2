// Implements signing, and what a second person has to approve. What was signed goes through the gate as any operation does, in
// the name of whoever has signed it first.
import {
  type Approval,
  type Clock,
  checker,
  declarationOf,
  ProblemError,
  type Signature,
  type SignedOperation,
} from '@telltale/schema';
import Type from 'typebox';
import { type Access, type Action, type Caller, type KnownApproval, notAllowed } from '../../access/index.ts';
import type { Kind } from '../../archive/index.ts';
import { readInterval } from '../archive/index.ts';
import { type Confirmations, isBlank } from '../confirmations.ts';
import type { LiveData } from '../data/index.ts';
import type { Gate } from '../gate.ts';
import { problemOf } from '../recording.ts';
import type { Asked, Implementations } from './implementation.ts';

export interface ApprovalParts {
  readonly access: Access;
  readonly confirmations: Confirmations;
  readonly gate: Gate;
  /** Of the operations that are signed, as they are once that is done. */
  readonly implementations: Pick<Implementations, SignedOperation>;
  readonly data: Pick<LiveData, Kind>;
  /** Another text whenever what runs is another, or what would be rendered. */
  readonly basisOf: (operation: SignedOperation) => string;
  readonly clock: Clock;
}

/** What was done at once has no id. */
type Shown = Omit<KnownApproval, 'id'> & { readonly id?: string };

/** Who has signed an action, and why. */
interface Signed {
  readonly signer: Caller;
  readonly asked: Asked;
  readonly reason: string;
  readonly approver?: string;
  /** Where it has changed, nothing is done. */
  readonly basis?: string;
}

/** Of which kind the object is that it is done to; a rendering is of all of the plant. */
const kinds: Readonly<Record<SignedOperation, Kind | undefined>> = {
  writeCommand: 'commands',
  simulateMeasurement: 'measurements',
  eraseMeasurementArchive: 'measurements',
  eraseCommandArchive: 'commands',
  eraseAlarmArchive: 'alarms',
  eraseActiveAlarmArchive: 'alarms',
  render: undefined,
};

export function approvals(parts: ApprovalParts) {
  const { access, confirmations, gate, data, basisOf, clock } = parts;
  const stored = access.approvals;

  /** Undefined where it is of all of the plant. */
  const placeOf = ({ operation, input }: Action) => {
    const kind = kinds[operation];
    if (kind === undefined) return undefined;
    const name = String(input.name);
    return { kind, name, area: data[kind].definitionAt(data[kind].find(name))?.area };
  };

  const isSeen = (action: Action, { rights }: Caller): boolean => {
    const place = placeOf(action);
    if (place === undefined) return rights.has('read-config') || rights.has('approve');
    return rights.everywhere('view') || rights.on('view', place.name, place.area);
  };

  const checkMay = (permission: 'approve' | 'erase-archive', action: Action, signer: Caller): void => {
    const place = placeOf(action);
    const { rights } = signer;
    const may = place === undefined ? rights.everywhere(permission) : rights.on(permission, place.name, place.area);
    if (!may || !isSeen(action, signer)) throw notAllowed(signer, permission, place?.name);
  };

  const seen = (id: string, caller: Caller): KnownApproval => {
    const known = stored.find(id);
    if (known !== undefined && (isSeen(known, caller) || known.requester === caller.author)) return known;
    throw new ProblemError('unknown-object', `There is no request for approval ${JSON.stringify(id.slice(0, 80))}.`);
  };

  const liveOf = (action: Action): string | undefined => {
    const place = placeOf(action);
    if (place === undefined || place.kind === 'alarms') return undefined;
    const handle = data[place.kind].find(place.name);
    if (handle < 0) return undefined;
    if (place.kind === 'commands') return data.commands.textOf(handle);
    return (JSON.parse(data.measurements.wire.object(handle).toString()) as { vtq: [string] }).vtq[0];
  };

  /** To somebody who may have requested it, and view its object no more. */
  const shown = ({ id, operation, input, reason, requester, ...more }: Shown, viewer: Caller): Approval => {
    const { created, ends, state, approver, decided, detail } = more;
    const live = isSeen({ operation, input }, viewer) ? liveOf({ operation, input }) : undefined;
    return {
      ...(id !== undefined && { id }),
      operation,
      input,
      reason,
      requester,
      created: created / 1000,
      ends: ends / 1000,
      state,
      ...(live !== undefined && { live }),
      ...(approver !== undefined && { approver }),
      ...(decided !== undefined && { decided: decided / 1000 }),
      ...(detail !== undefined && { detail }),
    };
  };

  /** Throws where this user could not do it at all. */
  const admit = ({ operation: name, input }: Action, signer: Caller): void => {
    const operation = gate.operation(name, declarationOf(name));
    gate.admit(operation, signer);
    gate.admitTo(operation, signer, typeof input.name === 'string' ? input.name : undefined);
    if (declarationOf(name).permission === 'erase-archive')
      checkMay('erase-archive', { operation: name, input }, signer);
  };

  /** As if the signer had asked for it, once. */
  const carryOut = async (action: Action, { signer, asked, reason, approver, basis }: Signed): Promise<void> => {
    const { operation: name, input } = action;
    admit(action, signer);
    const operation = gate.operation(name, declarationOf(name));
    const object = typeof input.name === 'string' ? input.name : '';
    const run = parts.implementations[name] as (input: Action['input'], asked: Asked) => unknown;
    const work = () =>
      gate.carryOut(operation, { caller: signer, credentials: asked.credentials }, object, (note) => {
        note({ reason, approver });
        if (basis !== undefined && basisOf(name) !== basis) throw changed();
        return run(input, { ...asked, caller: signer, note, version: name === 'render' ? basis : undefined });
      });
    await (operation.isOrdered ? gate.turn(operation, signer, object).begin(work) : work());
  };

  return {
    signAction: async ({ operation, input: given, reason, signature = {} }, asked) => {
      const action = { operation, input: readInput(operation, given, reason, clock) };
      asked.note({ object: nameOf(action), new: action, reason });
      if (isBlank(reason)) throw new ProblemError('reason-needed', 'What is signed wants a reason.');
      const signer = await access.sign(signature, asked.caller, asked.credentials);
      noteSigner(asked, signer);
      admit(action, signer);
      const { level } = confirmations.wantedBy(operation, nameOf(action));
      const created = clock.now() / 1000;
      if (level !== 'two-person') {
        await carryOut(action, { signer, asked, reason });
        const done = { ...action, reason, requester: signer.author, created, ends: created, basis: '' };
        return shown({ ...done, state: 'done' }, signer);
      }
      if (operation === 'writeCommand') data.commands.check(nameOf(action), String(action.input.value));
      const basis = basisOf(operation);
      const requested = { ...action, reason, requester: signer.author, session: signer.session, basis };
      return shown(await stored.request(requested), signer);
    },
    listApprovals: (_, { caller }) =>
      stored
        .list()
        .filter((each) => isSeen(each, caller) || each.requester === caller.author)
        .map((each) => shown(each, caller)),
    getApproval: ({ approval }, { caller }) => shown(seen(approval, caller), caller),
    approveAction: async ({ approval: id, ...signature }, asked) => {
      const known = seen(id, asked.caller);
      const { operation, input, requester, reason } = known;
      asked.note({ object: nameOf(known), new: { approval: id, operation, input, requester }, reason });
      const approver = await access.sign(signature as Signature, asked.caller, asked.credentials);
      noteSigner(asked, approver);
      checkMay('approve', known, approver);
      const taken = await stored.approve(id, approver.author);
      const signer = access.signatures.ofUser(requester, taken.session);
      try {
        await carryOut(taken, { signer, asked, reason, approver: approver.author, basis: known.basis });
      } catch (error) {
        const detail = error instanceof ProblemError ? error.message : 'The log of the service says more.';
        await stored.end(id, { name: problemOf(error), detail }).catch(() => undefined); // what has happened counts
        throw error;
      }
      await stored.end(id);
    },
    rejectAction: async ({ approval: id, reason }, asked) => {
      const { caller, note } = asked;
      const known = seen(id, caller);
      note({ object: nameOf(known), new: { approval: id, requester: known.requester }, reason });
      if (caller.author !== known.requester) checkMay('approve', known, caller);
      await stored.reject(id, caller.author, reason);
    },
  } satisfies Partial<Implementations>;
}

function changed(): ProblemError {
  return new ProblemError('approval-ended', 'The configuration has changed since it was requested: nothing was done.');
}

function nameOf({ input }: Action): string {
  return typeof input.name === 'string' ? input.name : '';
}

function noteSigner({ note }: Asked, { author, kind, session }: Caller): void {
  note({ who: author, kind, session });
}

/** As the operation takes it. Times that count from now are those of this moment, whenever it is approved. */
function readInput(
  operation: SignedOperation,
  given: Readonly<Record<string, unknown>>,
  reason: string,
  clock: Clock,
): Action['input'] {
  const check = inputChecks[operation];
  if (!check.fits(given)) {
    const faults = check.faults(given).map((fault) => ({ ...fault, path: `/input${fault.path}` }));
    throw new ProblemError('invalid-body', `${faults[0]?.path} ${faults[0]?.message}.`, faults);
  }
  if (operation === 'render') return { comment: reason, ...given };
  const { t_since: since, t_until: until } = given as { t_since?: string | number; t_until?: string | number };
  if (since === undefined || until === undefined) return given;
  const { sinceUs, untilUs } = readInterval(since, until, clock.now());
  return { ...given, t_since: secondsText(sinceUs), t_until: secondsText(untilUs) };
}

const inputChecks = Object.fromEntries(
  (Object.keys(kinds) as SignedOperation[]).map((name) => [
    name,
    checker(Type.Object({ ...declarationOf(name).input }, { additionalProperties: false })),
  ]),
) as Record<SignedOperation, ReturnType<typeof checker>>;

/** Exact to the microsecond. */
function secondsText(us: number): string {
  return `${Math.floor(us / 1e6)}.${String(us - Math.floor(us / 1e6) * 1e6).padStart(6, '0')}`;
}
