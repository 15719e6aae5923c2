// Carries out what is asked of the service itself: probes, metrics, the catalogue of operations and the documents.
import {
  answerSchema,
  type ChannelRequestName,
  channelRequestNames,
  channelRequests,
  type DeclaredOperation,
  declarationOf,
  type OperationName,
  operationNames,
  ProblemError,
  requestSchema,
} from '@telltale/schema';
import Type from 'typebox';
import { type InterfacePaths, pathOf } from '../paths.ts';
import type { Implementations } from './implementation.ts';

type Names = 'getHealth' | 'getReadiness' | 'getMetrics' | 'getOpenApi' | 'getReference' | 'getRoot' | 'listOperations';

export interface ServiceParts {
  /** As Prometheus reads them. */
  readonly metricsText: () => Promise<string>;
  /** Why the service cannot do its work now; undefined where it can. */
  readonly unavailable: () => 'starting' | 'stopping' | undefined;
  /** What is wrong with what is kept on disk, though the service answers; undefined where nothing is. */
  readonly diskTrouble: () => ProblemError | undefined;
  readonly paths: InterfacePaths;
  /** The OpenAPI document, and the page made of it. */
  readonly documents: { readonly openApi: () => Buffer; readonly reference: () => Buffer };
}

export function service(parts: ServiceParts): Pick<Implementations, Names> {
  const { metricsText, unavailable, diskTrouble, documents, paths } = parts;
  const catalogue = once(() => Buffer.from(JSON.stringify(listed(paths))));
  return {
    getHealth: () => ({ status: 'ok' }),
    getReadiness: () => {
      const state = unavailable();
      if (state !== undefined) throw new ProblemError(state, `The service is ${state}.`);
      const trouble = diskTrouble();
      if (trouble !== undefined) throw trouble;
      return { status: 'ready' };
    },
    getMetrics: () => metricsText(),
    getOpenApi: () => documents.openApi(),
    getReference: () => documents.reference(),
    getRoot: () => '/docs/',
    listOperations: () => catalogue(),
  };
}

function listed(paths: InterfacePaths): object {
  return Object.fromEntries([
    ...operationNames.map((name) => [name, listedOperation(name, declarationOf(name), paths)]),
    ...channelRequestNames.filter(isOfChannelAlone).map((name) => [name, listedRequest(name)]),
  ]);
}

function listedOperation(name: OperationName, declared: DeclaredOperation, paths: InterfacePaths): object {
  const { summary, effect, audited, input, problems, http } = declared;
  const { method, answer } = http;
  return {
    summary,
    effect,
    audited,
    input: Type.Object(input, { additionalProperties: false }),
    ...(answer.schema !== undefined && { output: answer.schema }),
    problems,
    http: { method, path: pathOf(http, paths) },
    channel: channelRequestNames.filter((request) => operationsOf(request).includes(name)),
  };
}

function listedRequest(name: ChannelRequestName): object {
  const { summary, effect, audited } = channelRequests[name];
  return {
    summary,
    effect,
    audited,
    input: requestSchema(name),
    output: answerSchema(name),
    problems: [],
    channel: [name],
  };
}

function isOfChannelAlone(request: ChannelRequestName): boolean {
  return operationsOf(request).length === 0;
}

function operationsOf(request: ChannelRequestName): readonly OperationName[] {
  return channelRequests[request].operations;
}

/** Made when somebody asks: most never do. */
export function once<Made>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}
