// Requests made from an OpenAPI document, as fast-check arbitraries: every operation with paths, queries, headers and
// bodies that are right, nearly right or plainly hostile.
import { X509Certificate } from 'node:crypto';
import { ovenCertificate } from '@telltale/stack-kit/testing';
import fc from 'fast-check';
import { anyWriter, fitting, type Json, likelyNames, type Schema, type Schemas } from './json-from-schema.ts';

export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query';
  readonly required?: boolean;
  readonly schema: Schema;
}

export interface Content {
  readonly [mediaType: string]: { readonly schema: Schema };
}

export interface Operation {
  readonly operationId: string;
  readonly parameters?: Parameter[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: { readonly [status: string]: { readonly content?: Content; readonly 'x-problems'?: string[] } };
}

export interface OpenApiDocument {
  readonly paths: { readonly [path: string]: { readonly [method: string]: Operation } };
  readonly components: { readonly schemas: Schemas };
}

export interface HttpRequest {
  readonly method: string;
  /** As it goes over the wire, with its query. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | undefined;
}

export interface RequestOptions {
  readonly document: OpenApiDocument;
  /** How often an operation is asked for, 10 where not listed. */
  readonly weights: Readonly<Record<string, number>>;
  /** Bodies that an operation which takes bytes, or particular JSON, would accept, by its id. */
  readonly samples: Readonly<Record<string, Uint8Array>>;
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND', 'LOCK'];
const mutations = ['__proto__', 'constructor', 'x', 'names', 'render', 'a[b]', '%00', 'é', ''];
const likelyValues = ['d1', 'd+5', 'd-0.5', 'd1e9', 'i1', 'i2147483648', 'b1', 'sx', 's💧', 'd', ''];
const impossibleNames = [
  '',
  '.',
  '..',
  'a b',
  'a-b',
  'a/b',
  '../../x',
  'a\0',
  'ä',
  '💧',
  'a\n',
  '%',
  'x'.repeat(65),
  'x'.repeat(9000),
];

/** Of a certificate that the server may have. */
const thumbprint = new X509Certificate(ovenCertificate).fingerprint256.replaceAll(':', '');

export function anyRequest(options: RequestOptions): fc.Arbitrary<HttpRequest> {
  const operations = Object.entries(options.document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({
      weight: options.weights[operation.operationId] ?? 10,
      arbitrary: requestOf(method.toUpperCase(), path, operation, options),
    })),
  );
  const total = operations.reduce((sum, { weight }) => sum + weight, 0);
  return fc
    .oneof(...operations, { weight: Math.ceil(total / 20), arbitrary: strayRequest(options) })
    .map((request) => Object.assign(request, { [fc.toStringMethod]: () => describeRequest(request) }));
}

export function describeRequest({ method, path, headers, body }: HttpRequest): string {
  const text = body === undefined ? '' : JSON.stringify(Buffer.from(body).toString('latin1').slice(0, 2000));
  return `${method} ${path.slice(0, 500)} ${JSON.stringify(headers)} ${text}`;
}

function requestOf(
  method: string,
  template: string,
  { operationId, parameters = [], requestBody }: Operation,
  { document, samples }: RequestOptions,
): fc.Arbitrary<HttpRequest> {
  const schemas = document.components.schemas;
  const body = requestBody === undefined ? noBody : bodyOf(requestBody.content, schemas, samples[operationId]);
  return fc
    .tuple(
      fc.record({
        name: template.includes('/certificates/') ? mostly(fc.constant(thumbprint), nameInPath) : nameInPath,
        secret: nameInPath,
        id: idInPath,
        t_since: timeInPath,
        t_until: timeInPath,
        folder: mostly(fc.constant('guides'), nameInPath),
        page: mostly(fc.constant('archive.md'), nameInPath),
      }),
      mostly(fc.constant(''), anyOddity),
      queryOf(parameters, schemas),
      anyHeaders,
      body,
    )
    .map(([words, oddity, query, headers, write]) => {
      const { name } = words;
      const filled = template.replaceAll(/\{(\w+)\}/g, (_, word: keyof typeof words) => words[word]);
      const path = withOddity(filled, oddity) + query;
      const sent = write(template.includes('{name}') ? name : undefined);
      return { method, path, headers: { ...headers, ...sent.headers }, body: sent.body };
    });
}

/** A path of the document with any method, or a path that it does not have. */
function strayRequest({ document }: RequestOptions): fc.Arbitrary<HttpRequest> {
  const path = fc.oneof(
    fc
      .tuple(fc.constantFrom(...Object.keys(document.paths)), nameInPath)
      .map(([template, name]) => template.replace(/\{\w+\}/, name)),
    fc.webPath(),
    fc.constantFrom(
      '/data/',
      '/config',
      '/config/v2/',
      '/favicon.ico',
      '//',
      '/%',
      '/*',
      '/config/v2/stacks',
      '/__proto__',
    ),
  );
  return fc
    .tuple(fc.constantFrom(...methods), path, anyHeaders)
    .map(([method, stray, headers]) => ({ method, path: stray || '/', headers }));
}

function mostly<T>(usual: fc.Arbitrary<T>, unusual: fc.Arbitrary<T>, times = 12): fc.Arbitrary<T> {
  return fc.oneof({ weight: times, arbitrary: usual }, unusual);
}

const nameInPath = fc.oneof(
  { weight: 14, arbitrary: fc.constantFrom(...likelyNames) },
  { weight: 1, arbitrary: fc.stringMatching(/^\w{1,64}$/) },
  { weight: 1, arbitrary: fc.constant('names') },
  { weight: 2, arbitrary: fc.constantFrom(...impossibleNames).map(encodeURIComponent) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      '%zz',
      '%',
      '%c3',
      '%ff',
      '%ED%A0%80',
      '..%2f..',
      '%2e%2e',
      "a'b",
      'a;b',
      'a:b',
      'level?x',
    ),
  },
);

const idInPath = fc.oneof(
  { weight: 10, arbitrary: fc.integer({ min: 1, max: 70 }).map(String) },
  fc.constantFrom('0', '-1', '1.5', '01', '1e3', '9007199254740993', '9'.repeat(40), 'x', '%20', '0x1', '__proto__'),
);

const timeInPath = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('-3600', '-0', '0', '1', '1700000000.25', '9999999999') },
  { weight: 2, arbitrary: fc.double({ noNaN: true, noDefaultInfinity: true }).map(String) },
  fc.constantFrom('x', '%20', '-', '.', '1e3', '0x1', '9'.repeat(400), '__proto__', 'names', 'active'),
);

type Oddity = '' | 'slash' | 'slashes' | 'encoded' | 'case' | 'longer' | 'shorter';

const anyOddity: fc.Arbitrary<Oddity> = fc.constantFrom('slash', 'slashes', 'encoded', 'case', 'longer', 'shorter');

function withOddity(path: string, oddity: Oddity): string {
  switch (oddity) {
    case 'slash':
      return `${path}/`;
    case 'slashes':
      return path.replaceAll('/', '//');
    case 'encoded':
      return path.replace(/[a-z]/, (letter) => `%${letter.charCodeAt(0).toString(16)}`);
    case 'case':
      return path.toUpperCase();
    case 'longer':
      return `${path}/x`;
    case 'shorter':
      return path.slice(0, path.lastIndexOf('/')) || '/';
    default:
      return path;
  }
}

/** Begins with `?` where there is one. */
function queryOf(parameters: readonly Parameter[], schemas: Schemas): fc.Arbitrary<string> {
  const known = parameters.filter((parameter) => parameter.in === 'query');
  const valid = ({ name, schema }: Parameter) => {
    const list = fc.array(nameInPath, { maxLength: 5 }).map((names) => names.join(','));
    const number = () => fitting(schema, schemas).map((each) => String(Number(each)));
    const text = schema.type === 'string' ? list : number();
    const likely = name === 'value' ? likelyValues : schema.enum?.map(String);
    const value = likely !== undefined ? fc.constantFrom(...likely) : name === 'name' ? nameInPath : text;
    return value.map((text) => `${name}=${encodeURIComponent(text)}`);
  };
  const value = fc.constantFrom(
    '',
    '0',
    '1',
    '2',
    'true',
    'False',
    'null',
    '%00',
    '%zz',
    '__proto__',
    'a,,b',
    'x'.repeat(2000),
  );
  const name = fc.constantFrom(...known.map((parameter) => parameter.name), ...mutations);
  const invalid = fc.array(
    fc.tuple(name, value).map((pair) => pair.join('=')),
    { maxLength: 3 },
  );
  const [required, optional] = [known.filter((each) => each.required), known.filter((each) => !each.required)];
  const some = optional.length === 0 ? fc.constant([]) : fc.array(fc.oneof(...optional.map(valid)), { maxLength: 1 });
  const wellMade = fc.tuple(fc.tuple(...required.map(valid)), some).map((parts) => parts.flat());
  const odd = fc.constantFrom('&&=&', '?', '=', 'render', 'render[]=1', 'a'.repeat(5000)).map((text) => [text]);
  return mostly(wellMade, fc.oneof(invalid, odd), 8).map((parts) => (parts.length === 0 ? '' : `?${parts.join('&')}`));
}

const anyHeaders: fc.Arbitrary<Record<string, string>> = mostly(
  fc.constant({}),
  fc.constantFrom<Record<string, string>[]>(
    { host: 'telltale.example' },
    { host: '127.0.0.1.example:80' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site' },
    { accept: 'text/csv' },
    { accept: 'application/vnd.telltale.columns' },
    { accept: 'text/html' },
    { range: 'bytes=0-1' },
    { 'content-encoding': 'gzip' },
    { 'x-http-method-override': 'DELETE' },
    { 'if-none-match': '*' },
    { cookie: 'a=b; __proto__=c' },
    { 'x-long': 'x'.repeat(30_000) },
  ),
  25,
);

/** What is sent about a name, or about none. */
type Sender = (name: string | undefined) => { headers: Record<string, string>; body?: Uint8Array };

const wrongTypes = [
  'text/plain',
  'application/xml',
  'application/json',
  'application/octet-stream',
  '',
  ';',
  '*/*',
  '%',
];

function bodyOf(content: Content, schemas: Schemas, sample: Uint8Array | undefined): fc.Arbitrary<Sender> {
  const [schema] = Object.values(content).map((each) => each.schema);
  const bytes =
    schema?.type === 'string' || schema === undefined
      ? bytesLike(sample)
      : mostly(
          jsonLike(schema, schemas),
          fc.constant(() => sample ?? new Uint8Array()),
          sample === undefined ? 50 : 1,
        );
  const right = fc.constantFrom(...Object.keys(content));
  const decorated = right.map((type) => `${type.toUpperCase()} ; charset=utf-8`);
  const type = fc.oneof({ weight: 20, arbitrary: right }, decorated, fc.constantFrom(...wrongTypes));
  return fc.tuple(bytes, type, fc.boolean()).map(([write, sentType, isChunked]) => (name) => {
    const body = write(name);
    return { headers: { ...typeHeader(sentType), ...lengthHeader(body, isChunked) }, body };
  });
}

/** An empty type stands for none. */
function typeHeader(type: string): Record<string, string> {
  return type === '' ? {} : { 'content-type': type };
}

function lengthHeader(body: Uint8Array, isChunked: boolean): Record<string, string> {
  return isChunked ? { 'transfer-encoding': 'chunked' } : { 'content-length': String(body.length) };
}

type BytesAbout = (name: string | undefined) => Uint8Array;

function jsonLike(schema: Schema, schemas: Schemas): fc.Arbitrary<BytesAbout> {
  return fc.tuple(fitting(schema, schemas, false), anyWriter).map(
    ([value, write]) =>
      (name) =>
        write(link(value, name)),
  );
}

/** What no schema can say: an object is called as the path or the operation that carries it says. */
export function link(value: Json, name: string | undefined): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each) => link(each, undefined));
  const inner = typeof value.name === 'string' ? value.name : undefined;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      if (key === 'name' && name !== undefined) return [key, name];
      return [key, key === 'object' || key === 'operations' ? link(each, inner) : each];
    }),
  );
}

function bytesLike(sample: Uint8Array = new Uint8Array([1])): fc.Arbitrary<BytesAbout> {
  const changes = fc.array(fc.tuple(fc.nat(sample.length - 1), fc.nat(255)), { minLength: 1, maxLength: 9 });
  const bytes = fc.oneof(
    fc.constant(sample),
    changes.map((each) => {
      const copy = Buffer.from(sample);
      for (const [at, byte] of each) copy[at] = byte;
      return copy;
    }),
    fc.nat(sample.length - 1).map((length) => sample.subarray(0, length)),
    fc.uint8Array({ maxLength: 2000 }),
    fc.constant(new Uint8Array()),
  );
  return bytes.map((each) => () => each);
}

/** Where none belongs, a body is seldom. */
const noBody: fc.Arbitrary<Sender> = mostly(
  fc.constant<Sender>(() => ({ headers: {} })),
  fc.uint8Array({ maxLength: 50 }).map((body) => () => ({
    headers: { ...typeHeader('application/json'), ...lengthHeader(body, false) },
    body,
  })),
);
