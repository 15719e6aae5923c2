// Who asks at a centre: the centre knows them and says who they are and what they may do; the site grants no more than it allows
// the centre. They come in at an address of their own, with a secret that only this process has.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import { checker, ProblemError, parseJson, permissionNames } from '@telltale/schema';
import Type, { type Static } from 'typebox';
import type { Identities } from './access.ts';
import type { Caller } from './caller.ts';
import { type Granted, GrantedRights, within } from './rights.ts';

/** Somebody at a centre, as it tells a site. */
export const CentreCaller = Type.Object({
  author: Type.String({ minLength: 1, maxLength: 256 }),
  session: Type.Optional(Type.String({ maxLength: 256 })),
  granted: Type.Array(
    Type.Object({
      permissions: Type.Array(Type.Enum([...permissionNames])),
      area: Type.Optional(Type.String({ maxLength: 1024 })),
      prefix: Type.Optional(Type.String({ maxLength: 1024 })),
    }),
    { maxItems: 1000 },
  ),
});
export type CentreCaller = Static<typeof CentreCaller>;

const callers = checker(CentreCaller);
const scheme = 'Centre ';
/** They are the same objects for as long as so many others have not asked since. */
const mostKnown = 1000;

export class CentreCallers implements Identities {
  readonly #secret = randomBytes(32).toString('base64url');
  readonly #bounds: readonly Granted[];
  readonly #known = new Map<string, Caller>();

  /** What a centre may do here at most. */
  constructor(bounds: readonly Granted[]) {
    this.#bounds = bounds;
  }

  /** With which a request of theirs comes in. */
  authorizationOf(caller: unknown): string {
    return `${scheme}${this.#secret}.${Buffer.from(JSON.stringify(caller)).toString('base64url')}`;
  }

  /** Throws `ProblemError`. */
  identify({ authorization = '' }: { readonly authorization?: string | undefined }): Caller {
    const [secret = '', text = ''] = authorization.startsWith(scheme)
      ? authorization.slice(scheme.length).split('.')
      : [];
    if (!isSame(secret, this.#secret)) {
      throw new ProblemError('invalid-token', 'This address is for what a centre forwards alone.');
    }
    const known = this.#known.get(text) ?? this.#made(text);
    this.#known.delete(text);
    this.#known.set(text, known);
    if (this.#known.size > mostKnown) this.#known.delete(this.#known.keys().next().value as string);
    return known;
  }

  /** What they may do, the centre says with each request. */
  onChanged(): void {}

  #made(text: string): Caller {
    const said = parseJson(Buffer.from(text, 'base64url').toString());
    if (!callers.fits(said)) throw new ProblemError('invalid-token', 'The centre says of nobody that this site knows.');
    const { author, session, granted } = said as CentreCaller;
    const name = `centre/${author}`;
    return {
      author: name,
      kind: 'centre',
      module: undefined,
      session,
      rights: new GrantedRights(within(granted, this.#bounds)),
      authorityOr: () => name,
    };
  }
}

function isSame(one: string, other: string): boolean {
  const [a, b] = [one, other].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer];
  return timingSafeEqual(a, b);
}
