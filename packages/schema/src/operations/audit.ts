// Operations on the audit trail: reading it, a page at a time or as a file.
import Type from 'typebox';
import { AuditRecord } from '../audit.ts';
import { closed } from '../closed.ts';
import { declare, json, reads } from './operation.ts';

const audit = { tag: 'Audit', resource: 'audit' } as const;

const Meant = (what: string) =>
  Type.Optional(
    Type.String({ minLength: 1, maxLength: 256, description: `Only of ${what}; one that ends with * is a beginning.` }),
  );
const Moment = (description: string) =>
  Type.Optional(
    Type.Number({
      minimum: -1e10,
      maximum: 1e10,
      description: `${description}, in seconds since 1970; less than zero: back from now.`,
    }),
  );

const filter = {
  since: Moment('From this time on'),
  until: Moment('Before this time'),
  who: Meant('this identity'),
  object: Meant('this object'),
  operation: Meant('this operation'),
  result: Meant('this outcome: done, or the name of a problem'),
  source: Meant('requests from this address'),
};

export const auditOperations = {
  listAudit: declare({
    ...reads(audit, 'read-audit'),
    audited: true,
    summary: 'Read the audit trail, the newest records first, a page at a time',
    input: {
      ...filter,
      before: Type.Optional(
        Type.Integer({ minimum: 1, description: 'Only records with a lower number: next of the page before.' }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'Of a page. Default: 100.' })),
    },
    problems: [],
    http: {
      method: 'GET',
      path: '/audit',
      answer: json(
        'A page.',
        Type.Object(
          {
            records: Type.Array(AuditRecord),
            next: Type.Optional(Type.Integer({ description: 'For before, where there may be more.' })),
          },
          closed,
        ),
      ),
    },
  }),
  exportAudit: declare({
    ...reads(audit, 'read-audit'),
    audited: true,
    summary: 'Export the audit trail, the oldest records first, as lines of JSON or as CSV',
    input: filter,
    problems: ['not-acceptable'],
    http: {
      method: 'GET',
      path: '/audit/export',
      answer: {
        status: 200,
        description: 'The records. Lines of JSON are as they are on disk.',
        type: 'application/x-ndjson',
        otherTypes: ['text/csv'],
      },
    },
  }),
};
