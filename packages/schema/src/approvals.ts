// What people sign, and what waits for a second person to approve it.
import Type, { type Static } from 'typebox';
import { SignIn } from './access.ts';
import { strict } from './closed.ts';
import { Comment } from './revision.ts';

/** The operations that may have to be signed. */
export const signedOperations = [
  'writeCommand',
  'simulateMeasurement',
  'eraseMeasurementArchive',
  'eraseCommandArchive',
  'eraseAlarmArchive',
  'eraseActiveAlarmArchive',
  'render',
] as const;
export type SignedOperation = (typeof signedOperations)[number];

const SignedOperationName = Type.Enum([...signedOperations], {
  type: 'string',
  description: 'What is to be done: the name of an operation.',
});

const ActionInput = Type.Record(Type.String({ maxLength: 64 }), Type.Unknown(), {
  description: 'What the operation takes, such as name and value.',
});

/** Somebody enters their credentials for this one action. */
export const Signature = Type.Object(SignIn.properties, {
  ...strict('Signature'),
  description:
    'Your password, with a code where you have a second factor, or a passkey; user where somebody else signs at your ' +
    'session. Empty: you have signed in less than a minute ago, which counts once.',
});
export type Signature = Static<typeof Signature>;

export const SignedAction = Type.Object(
  {
    operation: SignedOperationName,
    input: ActionInput,
    reason: Comment,
    signature: Type.Optional(Signature),
  },
  strict('SignedAction'),
);
export type SignedAction = Static<typeof SignedAction>;

export const approvalStates = [
  'pending',
  'sending',
  'done',
  'failed',
  'rejected',
  'withdrawn',
  'expired',
  'unknown',
] as const;
export type ApprovalState = (typeof approvalStates)[number];

const Time = (description: string) => Type.Number({ description: `${description}, in seconds since 1970.` });

export const Approval = Type.Object(
  {
    id: Type.Optional(Type.String({ description: 'By which it is approved; none where that was not needed.' })),
    operation: SignedOperationName,
    input: ActionInput,
    reason: Type.String(),
    requester: Type.String({ description: 'Who has signed first.' }),
    created: Time('When it was requested'),
    ends: Time('Until when it can be approved'),
    state: Type.Enum([...approvalStates], {
      type: 'string',
      description:
        'pending: a second person has to approve it. sending: it is being done. failed: it was approved, and refused by the ' +
        'device or the service. unknown: the service ended while it was being done, so it may have been.',
    }),
    live: Type.Optional(
      Type.String({ description: 'Of commands and measurements: the value now, such as d21.5, to compare.' }),
    ),
    approver: Type.Optional(Type.String({ description: 'Who has approved or rejected it.' })),
    decided: Type.Optional(Time('When that was')),
    detail: Type.Optional(Type.String({ description: 'Why it failed or was rejected.' })),
  },
  strict('Approval'),
);
export type Approval = Static<typeof Approval>;
