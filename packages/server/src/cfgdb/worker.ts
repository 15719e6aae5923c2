// The configuration's own thread: its disk writes, its large bodies and its renderings never hold up live values.
// One change at a time, in the order of asking; reads go on while a body or an upload is being read, or a copy written.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { systemClock } from '@telltale/schema';
import { UnusableDatabase } from '../sqlite/index.ts';
import { type Link, Moved, ownBuffers, parentLink } from '../threads/index.ts';
import { Agreement } from './agreement.ts';
import type { Author } from './authors-rights.ts';
import { cleanPicture } from './clean-picture.ts';
import { Configuration } from './configuration.ts';
import { ConfiguredSecrets, shownObjects } from './configured-secrets.ts';
import { copyObjects } from './copy-objects.ts';
import { Database } from './database.ts';
import { generate } from './generate.ts';
import { listTypicals } from './list-typicals.ts';
import { DiskRefused } from './on-disk.ts';
import {
  type Carried,
  type ConfigurationClient,
  type ConfigurationThread,
  changes,
  longReads,
  type Method,
  type Operations,
  type Start,
} from './protocol.ts';
import { putTable } from './put-table.ts';
import { readTransaction } from './read-objects.ts';
import { readUpload } from './read-upload.ts';
import type { Rename } from './renamed-references.ts';
import type { RenderingBytes } from './rendering.ts';
import { incomingPath, removeDatabase } from './replace-database.ts';
import { reseal } from './reseal.ts';
import { shareVia } from './shared/site-sharing.ts';
import { sharedBytes } from './shared-bytes.ts';
import type { StackRules } from './stack-rules.ts';
import { writeTable } from './write-table.ts';

/** Of a long body, so much is read before others have their turn. */
const turnMs = 5;

async function loadStacks({ stackModules }: Start): Promise<StackRules[]> {
  return Promise.all(stackModules.map(async (url) => ((await import(url)) as { default: StackRules }).default));
}

/** What takes several turns; all else the configuration does at once. */
type LongOperations = Pick<
  Operations,
  | 'transaction'
  | 'table'
  | 'putTable'
  | 'copy'
  | 'generate'
  | 'typicals'
  | 'cleanPicture'
  | 'compare'
  | 'blame'
  | 'upload'
  | 'writeCopy'
  | 'beginSharing'
>;

function longOperations(configuration: Configuration): LongOperations {
  return {
    async transaction(body, options, author) {
      configuration.transaction(await inTurns(readTransaction(body)), options, author);
    },
    async table(family, options) {
      const objects = new Map(shownObjects(family, configuration.objects(family))); // as they are now
      return sharedBytes(await inTurns(writeTable(family, objects, options)));
    },
    putTable: (family, table, options, author) => inTurns(putTable(configuration, family, table, options, author)),
    copy: (request, options, author) => copyObjects(configuration, request, options, author),
    generate: (body, options, author) => inTurns(generate(configuration, body, options, author)),
    typicals: () => listTypicals(configuration),
    cleanPicture,
    compare: (from, to) => inTurns(configuration.comparing(from, to)),
    blame: (family, name) => inTurns(configuration.blaming(family, name)),
    beginSharing: (head) => inTurns(configuration.beginningToShare(head)),
    async upload(path, options, author) {
      configuration.replace(await readUpload(path), options, author);
    },
    async writeCopy(path) {
      for (const _ of configuration.copying(path)) await nextTurn();
    },
  };
}

/** Takes the steps, some milliseconds of them in a turn: what is asked in between is answered. */
async function inTurns<T>(steps: Iterator<unknown, T>): Promise<T> {
  let endMs = performance.now() + turnMs;
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) return value;
    if (performance.now() < endMs) continue;
    await nextTurn();
    endMs = performance.now() + turnMs;
  }
}

interface Asked {
  readonly method: Method;
  readonly args: readonly unknown[];
  readonly author: Author | undefined;
}

/** Reports to the client what it has to know before the answer. */
async function carryOut(
  configuration: Configuration,
  client: Link<ConfigurationClient>,
  { method, args, author }: Asked,
): Promise<Moved<Carried>> {
  const asked = author === undefined ? configuration : configuration.for(author);
  const long = longOperations(asked);
  const operation = (long[method as keyof LongOperations] ??
    asked[method as Exclude<Method, keyof LongOperations>]) as (...args: unknown[]) => unknown;
  const isChange = changes.has(method);
  if (isChange) configuration.takeChanged(); // of one that has failed
  try {
    const result = await operation.apply(asked, [...args]);
    client.notify('figures', [configuration.figures()]);
    const changed = isChange ? configuration.takeChanged() : undefined;
    return new Moved({ result, changed }, ownBuffers([result]));
  } catch (error) {
    if (error instanceof DiskRefused) client.notify('diskRefused', [error.reason]);
    throw error;
  } finally {
    // Changes are carried out one at a time: what is newly rendered is theirs.
    if (isChange) client.notify('concluded', [configuration.takeRendered()]);
  }
}

async function open(start: Start, client: Link<ConfigurationClient>): Promise<Configuration | UnusableDatabase> {
  const { path } = start;
  let database: Database;
  try {
    removeDatabase(incomingPath(path));
    database = new Database(path, (rendering, renames) =>
      client.notify('rendered', [rendering, renames], ownBuffers([rendering])),
    );
  } catch (error) {
    if (error instanceof UnusableDatabase) return error;
    throw error;
  }
  const stacks = await loadStacks(start); // while what was rendered begins to run
  const secrets = new ConfiguredSecrets(start.secretKeys, stacks);
  try {
    // What nodes of a site have in common, the one that leads seals.
    if (start.sharing === undefined) database = reseal(path, database, secrets);
  } catch (error) {
    if (error instanceof UnusableDatabase) return error;
    throw error;
  }
  const agreement = new Agreement(start.agreement);
  const propose = (rendering: RenderingBytes, renames: readonly Rename[]) =>
    agreement.ask(() => client.notify('proposed', [rendering, renames], ownBuffers([rendering])));
  const sharing =
    start.sharing &&
    shareVia(new Agreement(start.sharing), (entries) =>
      client.notify('sharing', [entries], ownBuffers(entries.map(({ bytes }) => bytes))),
    );
  return new Configuration({ path, stacks, now: systemClock.now, database, propose, secrets, sharing });
}

/** Of works that are given to it, one at a time: the answer to the one before leaves before the next begins. */
function queue(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
}

function main(): void {
  let configuration: Configuration | undefined;
  const changing = queue();
  const comparing = queue();
  const client: Link<ConfigurationClient> = parentLink<ConfigurationClient, ConfigurationThread>({
    async open(start) {
      const opened = await open(start, client);
      if (opened instanceof UnusableDatabase) return { unusable: opened.message };
      configuration = opened;
      client.notify('figures', [opened.figures()]);
      return { missing: opened.missing() };
    },
    carryOut(method, args, author) {
      const work = () => carryOut(configuration as Configuration, client, { method, args, author });
      // A copy is of one moment: what changes waits for it.
      if (changes.has(method) || method === 'writeCopy') return changing(work);
      return longReads.has(method) ? comparing(work) : work();
    },
    close: () => changing(async () => configuration?.close()),
  });
}

main();
