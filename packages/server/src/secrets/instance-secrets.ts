// Sets and deletes the secrets of connectors and providers for people: bound to the destination that is configured, on disk
// before it is answered, and in use at once. Nobody reads them.
import { type ListedSecret, ProblemError, toTimestamp } from '@telltale/schema';
import { boundElsewhere, destinationOf } from './destination.ts';
import type { ParametersOf } from './inline-secrets.ts';
import type { Role } from './seal.ts';
import { isSecretName, type SecretFiles } from './secret-files.ts';

export interface SecretOwner {
  readonly name: string;
  readonly stackName?: string | undefined;
  readonly vars?: Readonly<Record<string, string>> | undefined;
  readonly properties?: Readonly<Record<string, string>> | undefined;
}

export interface InstanceSecretsOptions {
  readonly files: SecretFiles;
  /** As they are configured, rendered or not, by name. */
  readonly configured: (role: Role) => Promise<ReadonlyMap<string, SecretOwner>>;
  readonly running: (role: Role, name: string) => SecretOwner | undefined;
  readonly restart: (role: Role, name: string, reason: string) => void;
  readonly parametersOf: ParametersOf;
}

const roles = ['connector', 'provider'] as const;

export class InstanceSecrets {
  readonly #options: InstanceSecretsOptions;
  /** One after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: InstanceSecretsOptions) {
    this.#options = options;
  }

  /** Rejects with `ProblemError`. */
  set(role: Role, name: string, secret: string, text: string): Promise<void> {
    return this.#inTurn(async () => {
      checkName(secret);
      const owner = await this.#owner(role, name);
      const bound = this.#destination(role, owner);
      const running = this.#options.running(role, name);
      const elsewhere =
        running &&
        boundElsewhere({ of: '', text: '', bound: { [role]: bound } }, role, this.#destination(role, running));
      if (elsewhere !== undefined) {
        const what = `The destination of ${role} ${name} is changed and not rendered`;
        throw new ProblemError('destination-not-rendered', `${what}: the secret would be of no use to what runs.`);
      }
      await onDisk(() => this.#options.files.write(name, secret, { text, bound: { [role]: bound } }));
      this.#restart(role, running, secret, 'a secret was set');
    });
  }

  /** Rejects with `ProblemError`. */
  delete(role: Role, name: string, secret: string): Promise<void> {
    return this.#inTurn(async () => {
      checkName(secret);
      const isGone = await onDisk(() => this.#options.files.remove(name, secret));
      if (!isGone) throw new ProblemError('unknown-object', `There is no secret ${secret} of ${role} ${name}.`);
      this.#restart(role, this.#options.running(role, name), secret, 'a secret was deleted');
    });
  }

  /** Of those owners whom somebody may know, by name and area. */
  async list(may: (owner: string, area: string | undefined) => boolean): Promise<ListedSecret[]> {
    const { files, configured } = this.#options;
    const owners = await Promise.all(roles.map(async (role) => ({ role, known: await configured(role) })));
    const listed = await files.list();
    return listed.flatMap(({ owner, name, changedMs, isSealed }) => {
      const its = owners.filter(({ known }) => known.has(owner));
      const areas = its.map(({ known }) => known.get(owner)?.properties?.area);
      if (!(areas.length === 0 ? [undefined] : areas).some((area) => may(owner, area))) return [];
      const changed = toTimestamp(Math.round(changedMs * 1000));
      return [{ owner, name, changed, sealed: isSealed, roles: its.map(({ role }) => role) }];
    });
  }

  async #owner(role: Role, name: string): Promise<SecretOwner> {
    const owner = (await this.#options.configured(role)).get(name);
    if (owner !== undefined) return owner;
    throw new ProblemError('unknown-object', `There is no ${role} ${JSON.stringify(name)}: configure it first.`);
  }

  #destination(role: Role, { stackName = '', vars = {} }: SecretOwner) {
    const parameters = this.#options.parametersOf(role, stackName);
    if (parameters !== undefined) return destinationOf(stackName, parameters, vars);
    throw new ProblemError(
      'unknown-stack',
      `There is no ${role} stack ${JSON.stringify(stackName)}: it has no secrets.`,
    );
  }

  /** Who names it in a variable, or in an entry of one. */
  #restart(role: Role, running: SecretOwner | undefined, secret: string, reason: string): void {
    if (running === undefined) return;
    const isUsed = Object.values(running.vars ?? {}).some((text) => text.includes(`file:${secret}`));
    if (isUsed) this.#options.restart(role, running.name, reason);
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

function checkName(secret: string): void {
  if (isSecretName(secret)) return;
  const what = `${JSON.stringify(secret.slice(0, 80))} is not the name of a secret`;
  throw new ProblemError(
    'invalid-name',
    `${what}: at most 100 of 0-9, a-z, A-Z, ., _ and -, not beginning with a dot.`,
  );
}

async function onDisk<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new ProblemError('storage-failed', `${(error as Error).message}; nothing was changed.`);
  }
}
