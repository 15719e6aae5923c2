// Operations of a centre about its sites. Below /sites/SITE every site has its own interfaces, which are no operations of the centre.
import Type from 'typebox';
import { CentreSite } from '../sites.ts';
import { declare, json, reads } from './operation.ts';

const sites = { tag: 'Sites', resource: 'sites' } as const;

export const siteOperations = {
  listSites: declare({
    ...reads(sites, 'view'),
    summary: 'List the sites of a centre: whether each is there, and what of its archive the store has',
    input: {},
    problems: [],
    http: {
      method: 'GET',
      path: '/sites',
      answer: json(
        'From the id to the site; empty where the service is no centre.',
        Type.Record(Type.String(), CentreSite),
      ),
    },
  }),
  getSite: declare({
    ...reads(sites, 'view'),
    summary: 'Get one site of a centre',
    input: { site: Type.String({ description: 'Its id; or its name, where only one site has it.' }) },
    problems: ['unknown-site'],
    http: { method: 'GET', path: '/sites/:site', answer: json('The site.', CentreSite) },
  }),
};
