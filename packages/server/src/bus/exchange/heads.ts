// What begins an exchange, as JSON: what a centre asks of a site, and what the site answers.
import { type Checker, checker, parseJson } from '@telltale/schema';
import Type, { type Static } from 'typebox';

const Id = Type.String({ pattern: '^[0-9A-Za-z_-]{8,64}$' });
/** Names in lower case. */
const Headers = Type.Record(Type.String(), Type.Union([Type.String(), Type.Array(Type.String())]));

const asked = {
  /** Of the request: of all that there ever were. */
  id: Id,
  /** Which start of the site is meant, and who acts for it then. */
  run: Type.String(),
  epoch: Type.Union([Type.Integer({ minimum: 0 }), Type.Null()]),
};

/** A request of HTTP. */
export const ForwardedRequest = Type.Object({
  kind: Type.Literal('request'),
  ...asked,
  method: Type.String({ pattern: '^[A-Z]{1,16}$' }),
  path: Type.String({ pattern: '^/' }),
  headers: Headers,
  /** Who asks, as the centre knows them; the site decides what that means. */
  caller: Type.Record(Type.String(), Type.Unknown()),
});
export type ForwardedRequest = Static<typeof ForwardedRequest>;

/** What has become of a request? One that has not begun never will. */
const AskedOutcome = Type.Object({ kind: Type.Literal('outcome'), ...asked, of: Id });

const Asked = Type.Union([ForwardedRequest, AskedOutcome]);
export type Asked = Static<typeof Asked>;

export const AnswerHead = Type.Object({ status: Type.Integer({ minimum: 100, maximum: 599 }), headers: Headers });
export type AnswerHead = Static<typeof AnswerHead>;

/** Nothing of it was begun, and nothing will be. */
const Refusal = Type.Object({ refused: Type.String({ maxLength: 1000 }) });
export type Refusal = Static<typeof Refusal>;

export const Outcome = Type.Union([
  /** It was not begun, and never will be. */
  Type.Object({ state: Type.Literal('not-begun') }),
  /** It was begun; what became of it is not known: it is under way, or the site ended meanwhile. */
  Type.Object({ state: Type.Literal('begun') }),
  Type.Object({ state: Type.Literal('done'), status: Type.Integer() }),
  /** It was not begun since then, by the site's time of day, and will not be; what was noted before is forgotten. */
  Type.Object({ state: Type.Literal('not-noted'), since: Type.String({ maxLength: 64 }) }),
]);
export type Outcome = Static<typeof Outcome>;

const asks = checker(Asked);
const answers = checker(Type.Union([AnswerHead, Refusal]));
const outcomes = checker(Outcome);

/** Each undefined where it is none. */
export function readAsked(text: string): Asked | undefined {
  return read(text, asks) as Asked | undefined;
}

export function readAnswer(text: string): AnswerHead | Refusal | undefined {
  return read(text, answers) as AnswerHead | Refusal | undefined;
}

export function readOutcome(text: string): Outcome | undefined {
  return read(text, outcomes) as Outcome | undefined;
}

function read(text: string, checked: Checker): unknown {
  try {
    const data = parseJson(text);
    return checked.fits(data) ? data : undefined;
  } catch {
    return undefined;
  }
}
