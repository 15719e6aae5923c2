// The operation of several nodes of a site: which of them acts. What there is to see of them is in the overview.
import Type from 'typebox';
import { NodeSwitch } from '../overview.ts';
import { changes, declare, json } from './operation.ts';

const service = { tag: 'Service', resource: 'service' } as const;

export const standbyOperations = {
  switchNode: declare({
    ...changes(service, 'operate', 'operate-link'),
    summary:
      'Switch over: what is under way at the node that leads ends, and another node, which has all that the site shares, leads in its place',
    input: {
      to: Type.Optional(
        Type.String({
          maxLength: 128,
          description: 'The name of the node that is to lead; it may be left out where there are two.',
          examples: ['node-b'],
        }),
      ),
    },
    problems: ['cannot-switch', 'not-leading'],
    http: {
      method: 'POST',
      path: '/data/node/switch',
      answer: json('The lease was handed over.', NodeSwitch),
    },
  }),
};
