// Operations on the secrets of connectors and providers, which are set and deleted, and never read.
import Type from 'typebox';
import { jsonType } from '../media-types.ts';
import { ListedSecret, SecretBody, SecretName } from '../secrets.ts';
import { name } from './inputs.ts';
import { changes, declare, done, json, ofJsonBodies, ofNamedWrites, reads } from './operation.ts';

const tag = 'Configuration: secrets';

/** Of providers below a path of their own: a connector may have the same name. */
const operationsOf = <const Resource extends 'connectors' | 'providers', const Path extends string>(
  resource: Resource,
  path: Path,
) => {
  const one = resource.slice(0, -1);
  const subject = { ...changes({ tag, resource }, 'configure', 'set-secret'), input: { ...name, secret: SecretName } };
  return {
    set: declare({
      ...subject,
      summary: `Set a secret of a ${one}, for the destination that is configured; it is in use at once`,
      input: { ...subject.input, ...SecretBody.properties },
      problems: [...ofNamedWrites, ...ofJsonBodies, 'invalid-body', 'unknown-stack', 'destination-not-rendered'],
      http: {
        method: 'PUT',
        path,
        names: `the ${one}`,
        body: { types: [jsonType], schema: SecretBody, isInput: true, limit: 'max-json-size' },
        answer: done('It is on disk, and who uses it has started again.'),
      },
    }),
    delete: declare({
      ...subject,
      summary: `Delete a secret of a ${one}, which cannot use it any more`,
      problems: ofNamedWrites,
      http: { method: 'DELETE', path, names: `the ${one}`, answer: done('It is gone.') },
    }),
  };
};

const ofConnectors = operationsOf('connectors', '/config/v2/secrets/:name/:secret');
const ofProviders = operationsOf('providers', '/config/v2/secrets/providers/:name/:secret');

export const secretOperations = {
  listSecrets: declare({
    ...reads({ tag, resource: 'configuration' }, 'set-secret'),
    audited: true,
    summary: 'List the secrets of connectors and providers by name, without their values',
    input: {},
    problems: [],
    http: {
      method: 'GET',
      path: '/config/v2/secrets',
      answer: json('In the order of owners and names.', Type.Array(ListedSecret)),
    },
  }),
  setConnectorSecret: ofConnectors.set,
  deleteConnectorSecret: ofConnectors.delete,
  setProviderSecret: ofProviders.set,
  deleteProviderSecret: ofProviders.delete,
};
