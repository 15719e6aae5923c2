// Implements who may connect to the bus of a centre.
import {
  type BusCode,
  type BusEnrolled,
  type BusEnrolmentRequest,
  type BusMemberRole,
  type BusMembers,
  type BusRevoked,
  ProblemError,
} from '@telltale/schema';
import type { Implementations } from './implementation.ts';

/** Throws `ProblemError`, each of them, where this service lets nobody in. */
export interface BusAdmissionParts {
  list(): BusMembers;
  invite(invited: { name: string; role: BusMemberRole; seconds: number | undefined; by: string }): Promise<BusCode>;
  enrol(request: BusEnrolmentRequest): Promise<BusEnrolled>;
  revoke(id: string): Promise<BusRevoked>;
}

export function busMembers(admission: BusAdmissionParts) {
  return {
    listBusMembers: async () => admission.list(),
    inviteToBus: ({ name, role = 'site', seconds }, { caller, note }) => {
      note({ object: name, new: { role } });
      return admission.invite({ name, role, seconds, by: caller.author });
    },
    enrolAtBus: async (request, { note }) => {
      note({ object: request.id });
      const enrolled = await admission.enrol(request);
      note({ new: { name: enrolled.name, role: enrolled.role } });
      return enrolled;
    },
    revokeBusMember: ({ member: id }, { note }) => {
      const { members, invitations } = admission.list();
      const known = [...members, ...invitations].find((each) => each.id === id);
      if (known === undefined) {
        throw new ProblemError('unknown-object', `There is no member and no invitation ${JSON.stringify(id)}.`);
      }
      note({ old: { name: known.name, role: known.role } });
      return admission.revoke(id);
    },
  } satisfies Partial<Implementations>;
}
