// The messages of the channel: requests and answers, derived from the catalogue of operations. One JSON text per
// message. channel-notifications.ts has the notifications.
import Type, { type Static, type TObject, type TSchema } from 'typebox';
import { strict } from './closed.ts';
import { titleOf } from './configuration.ts';
import { maxBatchItems } from './operations/channel-fields.ts';
import {
  type ChannelForm,
  type DeclaredOperation,
  declarationOf,
  type OperationName,
  operationNames,
  type operations,
} from './operations/index.ts';
import { Problem } from './wire-schemas.ts';

/** Comes back as `request_id`. */
export const RequestId = Type.Union([Type.Integer(), Type.String({ maxLength: 64 })], {
  description: 'Chosen by the client; the answer carries it as request_id.',
});
export type RequestId = Static<typeof RequestId>;

/** One item of a batch that was carried out, or why not. */
export const ItemResult = Type.Object(
  { name: Type.String(), result: Type.Boolean(), error: Type.Optional(Problem) },
  strict('ItemResult'),
);
export type ItemResult = Static<typeof ItemResult>;

type Form = {
  [N in OperationName]: (typeof operations)[N] extends { readonly channel: readonly (infer F extends ChannelForm)[] }
    ? F
    : never;
}[OperationName];

export type ChannelRequestName = Form['request'];
type FormOf<N extends ChannelRequestName> = Extract<Form, { readonly request: N }>;

/** A request, and its operations: one, or the one whose `when` matches the message, or an item of it. */
export interface ChannelRequest extends Omit<ChannelForm, 'when' | 'summary'> {
  readonly request: ChannelRequestName;
  readonly summary: string;
  /** The most particular ones first. */
  readonly operations: readonly { readonly name: OperationName; readonly when: NonNullable<ChannelForm['when']> }[];
}

export const channelRequests = Object.fromEntries(
  Array.from(
    Map.groupBy(operationNames.flatMap(askedBy), ({ form }) => form.request),
    ([request, asking]) => [request, requestOf(asking)],
  ),
) as { readonly [N in ChannelRequestName]: ChannelRequest };

export const channelRequestNames = Object.keys(channelRequests) as ChannelRequestName[];

interface Asking {
  readonly name: OperationName;
  readonly declared: DeclaredOperation;
  readonly form: ChannelForm;
}

function askedBy(name: OperationName): Asking[] {
  const declared = declarationOf(name);
  return (declared.channel ?? []).map((form) => ({ name, declared, form }));
}

function requestOf(asking: readonly Asking[]): ChannelRequest {
  const [{ declared, form }] = asking as readonly [Asking];
  const { when: _, ...shared } = form;
  return {
    ...shared,
    request: form.request as ChannelRequestName,
    summary: form.summary ?? `${declared.summary}.`,
    operations: asking
      .map(({ name, form: { when = {} } }) => ({ name, when }))
      .sort((a, b) => Object.keys(b.when).length - Object.keys(a.when).length),
  };
}

export function requestSchema(name: ChannelRequestName): TObject {
  const { fields } = channelRequests[name];
  return Type.Object({ request: Type.Literal(name), id: RequestId, ...fields }, strict(`${name}Request`));
}

/**
 * The same, in which an item of a batch is anything with a name: one that is wrong does not stop the others. `itemSchema`
 * says what an item is.
 */
export function openRequestSchema(name: ChannelRequestName): TObject {
  const whole = requestSchema(name);
  const { batch } = channelRequests[name];
  if (batch === undefined || itemSchema(name) === undefined) return whole;
  const items = Type.Array(Type.Object({ name: Type.String() }), { maxItems: maxBatchItems });
  return Type.Object({ ...whole.properties, [batch]: items }, strict(titleOf(whole)));
}

/** Of a batch whose items are objects. */
export function itemSchema(name: ChannelRequestName): TObject | undefined {
  const { batch = '', fields } = channelRequests[name];
  const { items } = (fields[batch] ?? {}) as { items?: TSchema & { type?: unknown } };
  return items?.type === 'object' ? (items as TObject) : undefined;
}

/** The whole message of an answer, good or not. */
export function answerSchema(name: ChannelRequestName): TObject {
  const { answer = {}, batch } = channelRequests[name];
  const more = Object.fromEntries(Object.entries(answer).map(([field, type]) => [field, Type.Optional(type)]));
  return Type.Object(
    {
      request_id: Type.Union([RequestId, Type.Null()]),
      result: Type.Boolean({ description: 'Whether all of it was carried out.' }),
      error: Type.Optional(Problem),
      ...(batch !== undefined && { results: Type.Optional(Type.Array(ItemResult)) }),
      ...more,
    },
    strict(`${name}Answer`),
  );
}

/** The fields of a request besides `request` and `id`, as a client gives them. */
export type ChannelRequestFields<N extends ChannelRequestName> = Static<TObject<FormOf<N>['fields']>>;

/** What a good answer carries. */
export type ChannelAnswer<N extends ChannelRequestName> =
  FormOf<N> extends { readonly answer: infer A extends Readonly<Record<string, TSchema>> }
    ? Static<TObject<A>>
    : unknown;

/** Codes with which the service closes a channel. */
export const closeCode = {
  goingAway: 1001,
  unsupportedData: 1003,
  invalidText: 1007,
  tokenRevoked: 1008,
  messageTooBig: 1009,
  tryAgainLater: 1013,
  rightsChanged: 4001,
} as const;
