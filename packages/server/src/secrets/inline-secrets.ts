// Secrets that stand in the variables of a connector or provider themselves: sealed before anything is stored, bound to where
// they are sent, and open for the check of a rendering alone.
import { createHash } from 'node:crypto';
import { type Entry, formatEntries, type ParameterDescription, parseEntries } from '@telltale/stack-kit';
import { destinationOf } from './destination.ts';
import { type Destination, inlinePlace, isStored, type Role, Seal, type SealKeys, stars } from './seal.ts';

export type StackParameters = Readonly<Record<string, ParameterDescription>>;
type Texts = Readonly<Record<string, string>>;

export interface ConfiguredVariables {
  readonly name: string;
  readonly stackName?: string | undefined;
  readonly vars?: Texts | undefined;
}

/** What a stack declares of a role; undefined where there is no such stack. */
export type ParametersOf = (role: Role, stackName: string) => StackParameters | undefined;

/** What the secrets of a connector or provider take. */
export interface SecretNeeds {
  /** Variables with one that no key of this server opens. */
  readonly unopened: readonly string[];
  /** Names of files. */
  readonly files: readonly string[];
}

/** Such a secret is not known here: the checks of stacks pass it over. */
const filePrefix = 'file:';
const notKnown = `${filePrefix}unknown`;

export class InlineSecrets {
  readonly #seal: Seal;
  readonly #parametersOf: ParametersOf;

  constructor(keys: SealKeys, parametersOf: ParametersOf) {
    this.#seal = new Seal(keys);
    this.#parametersOf = parametersOf;
  }

  /** Another one for another key: what was sealed before is to be sealed anew. */
  get mark(): string {
    return createHash('sha256')
      .update(this.#seal.seal({ of: 'mark', text: '', bound: {} }))
      .digest('hex')
      .slice(0, 16);
  }

  /** The variables as they are stored. Stars stand for what was there `before`. The same object where nothing is to be sealed. */
  sealed(role: Role, { name, stackName, vars }: ConfiguredVariables, before: Texts = {}): Texts | undefined {
    const parameters = stackName === undefined ? undefined : this.#parametersOf(role, stackName);
    if (vars === undefined || stackName === undefined || parameters === undefined) return vars;
    const to = destinationOf(stackName, parameters, vars);
    const store = (path: string, text: string) =>
      this.#seal.seal({ of: inlinePlace(role, name, path), text, bound: { [role]: to } as Record<Role, Destination> });
    return mapped(parameters, vars, {
      secret: (path, text, former) => {
        if (text === stars) return former !== undefined && isStored(former) ? former : text;
        if (isStored(text)) return this.#renewed(text);
        return text === '' || text.startsWith(filePrefix) ? text : store(path, text);
      },
      // Nobody can tell what is a secret in it.
      unreadable: store,
      before,
    });
  }

  /** The variables with the secrets themselves, as far as they are known. */
  open(role: Role, { stackName, vars = {} }: ConfiguredVariables): Texts {
    const parameters = stackName === undefined ? undefined : this.#parametersOf(role, stackName);
    const opened = (text: string): string => {
      if (text === stars) return notKnown;
      if (!isStored(text)) return text;
      try {
        return this.#seal.open(text).text;
      } catch {
        return notKnown;
      }
    };
    const whole = Object.entries(vars).map(([name, text]) => {
      return [name, parameters?.[name]?.entries !== undefined && isStored(text) ? opened(text) : text] as const;
    });
    return mapped(parameters ?? {}, Object.fromEntries(whole), { secret: (_, text) => opened(text) });
  }

  needs(role: Role, { stackName, vars = {} }: ConfiguredVariables): SecretNeeds {
    const parameters = stackName === undefined ? undefined : this.#parametersOf(role, stackName);
    const [unopened, files]: [string[], string[]] = [[], []];
    mapped(parameters ?? {}, vars, {
      secret: (path, text) => {
        if (text.startsWith(filePrefix)) files.push(text.slice(filePrefix.length));
        else if (isStored(text) && !this.#seal.opens(text)) unopened.push(path);
        return text;
      },
    });
    return { unopened, files };
  }

  /** With the present key. */
  #renewed(stored: string): string {
    if (this.#seal.isCurrent(stored)) return stored;
    try {
      return this.#seal.seal(this.#seal.open(stored));
    } catch {
      return stored; // whoever uses it is told
    }
  }
}

interface Mapping {
  readonly secret: (path: string, text: string, before: string | undefined) => string;
  /** Of a list of entries that is none. */
  readonly unreadable?: (path: string, text: string) => string;
  readonly before?: Texts;
}

/** With other texts for secrets, in lists of entries as well; the same object where all are the same. */
function mapped(parameters: StackParameters, vars: Texts, mapping: Mapping, within = ''): Texts {
  const changed = new Map<string, string>();
  for (const [variable, text] of Object.entries(vars)) {
    const parameter = Object.hasOwn(parameters, variable) ? parameters[variable] : undefined;
    const path = within + variable;
    const before =
      mapping.before !== undefined && Object.hasOwn(mapping.before, variable) ? mapping.before[variable] : undefined;
    const next =
      parameter?.entries !== undefined
        ? mappedEntries(parameter.entries, text, { ...mapping, before: {} }, path, before)
        : parameter?.secret
          ? mapping.secret(path, text, before)
          : text;
    if (next !== text) changed.set(variable, next);
  }
  return changed.size === 0 ? vars : Object.fromEntries(new Map([...Object.entries(vars), ...changed]));
}

/** What people wrote stays as it is where it has no secret: not even in a comment. */
function mappedEntries(
  parameters: StackParameters,
  text: string,
  mapping: Mapping,
  path: string,
  before: string | undefined,
): string {
  if (!Object.values(parameters).some(({ secret }) => secret)) return text;
  if (text === stars || isStored(text)) return mapping.secret(path, text, before);
  const entries = entriesIn(text);
  if (entries === undefined) return mapping.unreadable?.(path, text) ?? text;
  const former = new Map(
    (before === undefined ? [] : (entriesIn(before) ?? [])).map((entry) => [entry.name, entry.texts]),
  );
  let isSame = !mentions(parameters, text);
  const next = entries.map(({ name, texts }) => {
    const others = mapped(parameters, texts, { ...mapping, before: former.get(name) ?? {} }, `${path}/${name}/`);
    isSame &&= others === texts;
    return { name, texts: others };
  });
  return isSame ? text : formatEntries(next);
}

/** Whether a comment may have a secret: an entry that somebody has taken out for a while. */
function mentions(parameters: StackParameters, text: string): boolean {
  const comments = text.split(/\r?\n/).filter((line) => /^\s*#/.test(line));
  const names = Object.entries(parameters).flatMap(([name, { secret }]) => (secret ? [`${name}=`] : []));
  return comments.some((line) => names.some((name) => line.includes(name)));
}

function entriesIn(text: string): Entry[] | undefined {
  try {
    return parseEntries(text);
  } catch {
    return undefined;
  }
}
