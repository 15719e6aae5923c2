// A record of the audit trail, as it is read.
import Type, { type Static } from 'typebox';

const Text = (description: string) => Type.Optional(Type.String({ description }));

/** What the service tells of the trail itself has fields of its own besides. */
export const AuditRecord = Type.Object(
  {
    seq: Type.Integer({ minimum: 1, description: 'Its number: one more than that of the record before.' }),
    time: Type.String({ description: 'UTC, ISO 8601.' }),
    who: Type.String({ description: 'The identity: a user, or a kind and a name, such as token/report.' }),
    kind: Type.String({
      description: 'Of the identity: user, token, module, provider, certificate, local, nobody, service.',
    }),
    source: Text('Address that the request came from.'),
    session: Text('Public id of the session or token.'),
    operation: Type.String({ description: 'Name in the catalogue of operations.' }),
    object: Text('What it was done to.'),
    site: Text('The id of the site of a centre that it was done at; the trail of the site has it too.'),
    area: Text('Where that is.'),
    old: Type.Optional(Type.Unknown({ description: 'Before.' })),
    new: Type.Optional(Type.Unknown({ description: 'After.' })),
    reason: Text('What the caller said.'),
    approver: Text('Who has approved it, where it took a second person.'),
    result: Type.String({ description: 'done, or the name of the problem.' }),
    rendering: Type.Optional(Type.Integer({ description: 'The revision that ran.' })),
    previous: Type.String({ description: 'SHA-256 of the record before.' }),
    hash: Type.String({ description: 'SHA-256 of this record.' }),
  },
  { $id: 'AuditRecord', additionalProperties: true },
);
export type AuditRecord = Static<typeof AuditRecord>;

/** What a verification of a trail has found; `telltale-server verify-audit` prints it as JSON. */
export interface TrailReport {
  readonly folder: string;
  readonly records: number;
  /** Sequence numbers of the first and last record; 0 where there is none. */
  readonly first: number;
  readonly last: number;
  /** SHA-256 of the last record. */
  readonly hash: string;
  /** How many signatures are good. */
  readonly heads: number;
  /** Sequence number of the last head; what follows it is not signed yet. */
  readonly signedTo: number;
  /** The fingerprints of the keys that have signed. */
  readonly keys: readonly string[];
  /** What is wrong: a sentence each, in order; the first so many. */
  readonly faults: readonly string[];
  readonly faultCount: number;
  /** What is no fault, and worth knowing. */
  readonly notes: readonly string[];
}
