// Operations on the process pictures and named trends that run.
import { CleanedPicture, Picture, PictureDrawing, Trend } from '../configuration.ts';
import { jsonType } from '../media-types.ts';
import { fields, name, names, someOf } from './inputs.ts';
import { declare, json, ofJsonBodies, reads } from './operation.ts';

const pictures = { tag: 'Pictures', resource: 'pictures' } as const;
const trends = { tag: 'Pictures', resource: 'trends' } as const;

export const pictureFields = ['name', 'description', 'area', 'parameters', 'properties', 'svg'] as const;
export const trendFields = ['name', 'description', 'area', 'pens', 'axes', 'span', 'properties'] as const;

export const pictureOperations = {
  listPictures: declare({
    ...reads(pictures, 'view'),
    summary: 'List all process pictures, or the named ones, without their SVGs unless fields says svg',
    input: { ...names, ...fields(pictureFields) },
    problems: [],
    http: {
      method: 'GET',
      path: '/data/pictures',
      answer: { ...json('From name to object.', someOf(Picture)), isVersioned: true },
    },
  }),
  getPicture: declare({
    ...reads(pictures, 'view'),
    summary: 'Get one process picture',
    input: name,
    problems: ['unknown-object'],
    http: {
      method: 'GET',
      path: '/data/pictures/:name',
      names: 'the picture',
      answer: { ...json('The picture.', Picture), isVersioned: true },
    },
  }),
  cleanPicture: declare({
    ...reads({ tag: 'Configuration: pictures', resource: 'configuration' }, 'configure'),
    summary: 'Clean an SVG as it would be in a picture, and tell what it loses; nothing is stored',
    input: {},
    problems: [...ofJsonBodies, 'invalid-body'],
    http: {
      method: 'POST',
      path: '/config/v2/clean-picture',
      body: { types: [jsonType], schema: PictureDrawing, limit: 'max-json-size' },
      answer: json('The SVG, and what it has lost.', CleanedPicture),
    },
  }),
  listTrends: declare({
    ...reads(trends, 'view'),
    summary: 'List all named trends, or the named ones',
    input: { ...names, ...fields(trendFields) },
    problems: [],
    http: {
      method: 'GET',
      path: '/data/trends',
      answer: { ...json('From name to object.', someOf(Trend)), isVersioned: true },
    },
  }),
  getTrend: declare({
    ...reads(trends, 'view'),
    summary: 'Get one named trend',
    input: name,
    problems: ['unknown-object'],
    http: {
      method: 'GET',
      path: '/data/trends/:name',
      names: 'the trend',
      answer: { ...json('The trend.', Trend), isVersioned: true },
    },
  }),
};

export type PictureField = (typeof pictureFields)[number];
export type TrendField = (typeof trendFields)[number];
