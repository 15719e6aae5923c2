// The operation that a header or a start page asks for again and again.
import { Overview } from '../overview.ts';
import { declare, json, reads } from './operation.ts';

export const overviewOperations = {
  getOverview: declare({
    ...reads({ tag: 'Service', resource: 'service' }, 'view'),
    summary: 'Get the state of service and plant in counts, at most a second old; what is out of view is not counted',
    input: {},
    problems: [],
    http: { method: 'GET', path: '/data/overview', answer: json('The overview.', Overview) },
    channel: [
      {
        request: 'ReadOverview',
        summary: 'Gets the state of service and plant in counts, as GET /overview does.',
        fields: {},
        answer: { overview: Overview },
      },
    ],
  }),
};
