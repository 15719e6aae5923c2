// The secrets in the variables of configured connectors and providers: sealed in every text that is stored, stars in every
// text that is shown.
import { createHash } from 'node:crypto';
import { type Connector, type Family, type FamilyObject, parseJson } from '@telltale/schema';
import { InlineSecrets, masked, type Role, type SealKeys, type SecretNeeds } from '../secrets/index.ts';
import type { StackRules } from './stack-rules.ts';
import { tables, toColumns, toText } from './tables.ts';

const roles: { readonly [F in Family]?: Role } = { connectors: 'connector', providers: 'provider' };
/** The families that can have secrets. */
export const secretFamilies = ['connectors', 'providers'] as const;

const nothing: SecretNeeds = { unopened: [], files: [] };

export class ConfiguredSecrets {
  readonly #inline: InlineSecrets;
  /** Another one when another key is used, or stacks declare other secrets: then all is looked through again. */
  readonly mark: string;

  constructor(keys: SealKeys, stacks: Iterable<StackRules>) {
    const rules = new Map(Array.from(stacks, (stack) => [stack.name, stack]));
    const parametersOf = (role: Role, stackName: string) =>
      rules.get(stackName)?.[role]?.describe?.().description.parameters;
    this.#inline = new InlineSecrets(keys, parametersOf);
    const declared = [...rules.keys()].sort().map((name) => {
      return [name, secretsIn(parametersOf('connector', name)), secretsIn(parametersOf('provider', name))];
    });
    this.mark = createHash('sha256')
      .update(JSON.stringify([this.#inline.mark, declared]))
      .digest('hex')
      .slice(0, 32);
  }

  /** The canonical text of an object as it is stored; stars in it stand for what it had `before`. */
  sealed(family: Family, text: string, before?: string): string {
    const role = roles[family];
    if (role === undefined || !text.includes('"vars":')) return text;
    const object = parseJson(text) as Connector;
    const vars = this.#inline.sealed(role, object, before === undefined ? {} : (parseJson(before) as Connector).vars);
    if (vars === object.vars) return text;
    return toText(tables[family], toColumns(family, { ...object, vars } as FamilyObject[Family]));
  }

  /** What those of an object, as it is stored, take. */
  needs(family: Family, text: string): SecretNeeds {
    const role = roles[family];
    if (role === undefined || !text.includes('"vars":')) return nothing;
    return this.#inline.needs(role, parseJson(text) as Connector);
  }

  /** The variables with the secrets themselves, for a check; and how to hide them in what it finds. */
  opened(role: Role, object: Connector): { vars: Record<string, string>; hide: (message: string) => string } {
    const vars = this.#inline.open(role, object);
    const secrets = Object.entries(vars).flatMap(([name, text]) =>
      text === object.vars?.[name] || text.length < 4 ? [] : [text],
    );
    return {
      vars,
      hide: (message) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), masked(message)),
    };
  }
}

/** The same object with stars for stored secrets in every text. */
export function maskedObject<Shown>(shown: Shown): Shown {
  const text = JSON.stringify(shown);
  const hidden = masked(text);
  return hidden === text ? shown : (JSON.parse(hidden) as Shown);
}

/** The same objects with stars for stored secrets. */
export function shownObjects(family: Family, objects: ReadonlyMap<string, string>): ReadonlyMap<string, string> {
  if (roles[family] === undefined) return objects;
  return new Map(Array.from(objects, ([name, text]) => [name, masked(text)]));
}

function secretsIn(parameters: object = {}): string[] {
  return Object.entries(parameters as Record<string, { secret?: true; entries?: object }>)
    .flatMap(([name, { secret, entries }]) => [
      ...(secret ? [name] : []),
      ...secretsIn(entries).map((each) => `${name}/${each}`),
    ])
    .sort();
}
