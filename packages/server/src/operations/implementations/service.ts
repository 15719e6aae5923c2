// Implements the operations of the service itself: probes, metrics, the catalogue of operations and the documents.
import {
  type DeclaredOperation,
  type Degradation,
  declarationOf,
  operationNames,
  ProblemError,
  type SettingInEffect,
} from '@telltale/schema';
import Type from 'typebox';
import { checkEverywhere, type Rights } from '../../access/index.ts';
import { type InterfacePaths, pathOf } from '../paths.ts';
import type { WithHeaders } from '../replies.ts';
import type { Implementations } from './implementation.ts';
import { once } from './once.ts';

export interface ServiceParts {
  /** As Prometheus reads them. */
  readonly metricsText: () => Promise<string>;
  /** Why the service cannot do its work now; undefined where it can. */
  readonly unavailable: () => 'starting' | 'stopping' | undefined;
  /** What is wrong with the stored data, though the service answers; undefined where nothing is. */
  readonly diskFailure: () => ProblemError | undefined;
  /** What is to be done soon, though the service does its work: a sentence each. */
  readonly warnings: () => readonly string[];
  /** What other machines do not do for it, though it does its own work: a sentence each. */
  readonly degraded: () => readonly Degradation[];
  /** Another node acts for the site, or none does. */
  readonly isStandby: () => boolean;
  readonly paths: InterfacePaths;
  /** By name; they never change. */
  readonly settings: Readonly<Record<string, SettingInEffect>>;
  readonly page: {
    /** Equal texts mean that the index is the same; undefined while it is not there. */
    readonly version: string | undefined;
    /** What starts it, or says that it is not there; who is not known is not told why. */
    index(isKnown: boolean): WithHeaders;
    /** Throws where there is none of this name. */
    asset(name: string): WithHeaders;
  };
  readonly documents: {
    readonly openApi: () => Buffer;
    /** The page that is made of it, with examples that the reader may view. */
    readonly reference: (rights: Rights) => Promise<Buffer>;
    /** Of a guide, by its path; undefined where there is none. */
    readonly page: (path: string, rights: Rights) => Promise<Buffer | undefined>;
  };
}

export function service(parts: ServiceParts) {
  const { metricsText, unavailable, diskFailure, warnings, degraded, isStandby, documents, page, paths, settings } =
    parts;
  const catalogue = once(() => Buffer.from(JSON.stringify(listed(paths))));
  return {
    getHealth: () => ({ status: 'ok' }),
    getReadiness: (_, { caller }) => {
      const state = unavailable();
      if (state !== undefined) throw new ProblemError(state, `The service is ${state}.`);
      const failure = diskFailure();
      const isKnown = caller.kind !== 'nobody'; // others learn no paths and names
      if (failure !== undefined) throw isKnown ? failure : new ProblemError(failure.problem, 'Sign in to see why.');
      const lacks = degraded();
      const texts = isKnown ? warnings() : [];
      return {
        status: isStandby() ? 'standby' : lacks.length === 0 ? 'ready' : 'degraded',
        ...(isKnown && lacks.length > 0 && { degraded: lacks }),
        ...(texts.length > 0 && { warnings: texts }),
      };
    },
    getMetrics: (_, { caller }) => {
      checkEverywhere(caller, 'read-metrics');
      return metricsText();
    },
    listSettings: (_, { caller }) => {
      checkEverywhere(caller, 'read-config');
      return settings;
    },
    getOpenApi: () => documents.openApi(),
    getReference: (_, { caller }) => documents.reference(caller.rights),
    getDocument: async ({ folder, page }, { caller }) => {
      const found = await documents.page(`${folder}/${page}`, caller.rights);
      if (found === undefined) throw new ProblemError('unknown-object', `There is no document ${folder}/${page}.`);
      return found;
    },
    getPage: {
      run: (_, { caller }) => page.index(caller.kind !== 'nobody'),
      version: () => page.version,
    },
    getPageFile: ({ file }) => page.asset(file),
    heartbeat: () => undefined,
    listOperations: () => catalogue(),
  } satisfies Partial<Implementations>;
}

function listed(paths: InterfacePaths): object {
  return Object.fromEntries(operationNames.map((name) => [name, listedOperation(declarationOf(name), paths)]));
}

function listedOperation(declared: DeclaredOperation, paths: InterfacePaths): object {
  const { summary, effect, permission, audited, input, problems, http, channel = [] } = declared;
  const [form] = channel;
  const output = http === undefined ? form?.answer && Type.Object(form.answer) : http.answer.schema;
  return {
    summary,
    effect,
    permission,
    audited,
    input: Type.Object(input, { additionalProperties: false }),
    ...(output !== undefined && { output }),
    problems,
    ...(http !== undefined && { http: { method: http.method, path: pathOf(http, paths) } }),
    channel: channel.map(({ request }) => request),
    'at-sites': isAtSites(declared),
  };
}

/** What is of a centre alone: its sites, and who may do what. */
function isAtSites({ effect, permission, http }: DeclaredOperation): boolean {
  const isOfCentre = effect.resource === 'sites' || effect.resource === 'access';
  return http !== undefined && !isOfCentre && permission !== 'manage-users' && permission !== 'owner';
}
