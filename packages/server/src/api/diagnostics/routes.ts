// The HTTP interface of version 1, diagnostics: connectors, providers, why a measurement is what it is, what a device has.
import {
  BrowsedItems,
  BrowseRequest,
  checker,
  connectorFields,
  Explanation,
  LiveConnector,
  LiveProvider,
  Names,
  ProblemError,
  providerFields,
  readJson,
} from '@telltale/schema';
import type { Role } from '../../stacks/index.ts';
import { collectionRoutes } from '../data/index.ts';
import { jsonBody } from '../read-request.ts';
import { jsonType, ofJsonBodies, type Route } from '../route.ts';
import type { StackAccess } from './stack-access.ts';

export interface DiagnosticRoutesOptions {
  readonly base: string;
  readonly stacks: StackAccess;
  readonly maxJsonBytes: number;
}

const request = checker(BrowseRequest);

/** A path and a cursor are shorter; it is read beside the live values. */
const mostRequestBytes = 64 << 10;

export function diagnosticRoutes(options: DiagnosticRoutesOptions): Route[] {
  const { base, stacks, maxJsonBytes } = options;
  return [
    ...instanceRoutes(options, 'connector'),
    {
      method: 'POST',
      path: `${base}/connectors/:name/browse`,
      id: 'browseConnector',
      tag: 'Connectors',
      access: 'read',
      summary: 'What its device has to offer, as objects that are ready to be put into the configuration',
      names: 'the connector',
      body: jsonBody(BrowseRequest, maxJsonBytes),
      answer: { status: 200, description: 'What there is.', type: jsonType, schema: BrowsedItems },
      problems: [
        'invalid-name',
        'unknown-object',
        ...ofJsonBodies,
        'invalid-body',
        'too-many-requests',
        'not-supported',
        'device-refused',
        'connector-down',
        'device-timeout',
      ],
      handle: ({ name, json, signal }) => stacks.browse(name, readRequest(json), signal()),
    },
    ...instanceRoutes(options, 'provider'),
    {
      method: 'GET',
      path: `${base}/measurements/:name/explain`,
      id: 'explainMeasurement',
      tag: 'Measurements',
      summary: 'Why it is what it is: what was read last, what each stage made of it, how its connector is',
      names: 'the measurement',
      answer: { status: 200, description: 'Why.', type: jsonType, schema: Explanation },
      problems: ['unknown-object'],
      handle: ({ name }) => stacks.explain(name),
    },
  ];
}

function instanceRoutes({ base, stacks }: DiagnosticRoutesOptions, role: Role): Route[] {
  const isConnector = role === 'connector';
  const path = `${base}/${role}s`;
  const tag = isConnector ? 'Connectors' : 'Providers';
  return [
    {
      method: 'GET',
      path: `${path}/names`,
      id: `listNamesOf${tag}`,
      tag,
      summary: `Names of the ${role}s that run, sorted`,
      answer: { status: 200, description: 'The names.', type: jsonType, schema: Names },
      problems: [],
      handle: () => stacks.names(role),
    },
    ...collectionRoutes({
      path,
      tag,
      one: role,
      schema: isConnector ? LiveConnector : LiveProvider,
      fields: isConnector ? connectorFields : providerFields,
      read: (selection) => stacks.read(role, selection),
      readOne: (name) => stacks.readOne(role, name),
    }),
  ];
}

function readRequest(json: Uint8Array): BrowseRequest {
  if (json.length > mostRequestBytes) {
    throw new ProblemError('body-too-large', `At most ${mostRequestBytes} bytes are taken here.`);
  }
  const body = readJson(json);
  if (request.fits(body)) return body as BrowseRequest;
  const faults = request.faults(body);
  throw new ProblemError('invalid-body', `${faults[0]?.path || 'The body'} ${faults[0]?.message}.`, faults);
}
