import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { describe, test } from 'node:test';
import {
  checker,
  declarationOf,
  type HttpForm,
  type HttpOperation,
  httpOperationNames,
  jsonType,
  problems,
} from '@telltale/schema';
import Type, { type TSchema } from 'typebox';
import { type OpenApi, openApiDocument } from '../openapi.ts';
import { exampleObject, exampleOf, madeUpPlant as plant } from './docs-example.ts';
import { docsPage, documentPage } from './docs-page.ts';
import { docsScriptHash } from './docs-script.ts';
import { readDocuments } from './documents-folder.ts';
import type { JsonSchema } from './json-schema.ts';

const documents = readDocuments(plant.base);
const pageOf = (api: OpenApi) => docsPage({ api, plant, documents });
const real = openApiDocument({ version: '1.2.3' });
const realPage = pageOf(real);

const nasty = `<script>alert("x")</script> & 'y'`;

function own(body: TSchema, more: Partial<HttpOperation> = {}, http: Partial<HttpForm> = {}): OpenApi {
  const putThing: HttpOperation = {
    tag: 'Plant: things',
    summary: 'Put a thing',
    effect: { action: 'configure', resource: 'configuration' },
    permission: 'configure',
    audited: true,
    input: { name: Type.String() },
    problems: ['invalid-body'],
    http: {
      method: 'PUT',
      path: '/plant/measurements/:name',
      names: 'the thing',
      body: { types: [jsonType], schema: body, limit: 'max-json-size' },
      answer: { status: 204, description: 'Done.' },
      ...http,
    },
    ...more,
  };
  return openApiDocument({ version: '0', operations: { putThing } });
}

const thing = (fields: Record<string, TSchema>) => Type.Object(fields, { title: 'Thing', additionalProperties: false });

const plain = (html: string) =>
  html.replace(/<[^>]+>/g, '').replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
const all = (html: string, pattern: RegExp) => [...html.matchAll(pattern)].map((match) => match[1] ?? '');
const anchors = (html: string) => all(html, / id="([^"]*)"/g);
const operations = (api: OpenApi) => Object.values(api.paths).flatMap((path) => Object.values(path));
const commands = (html: string) => all(html, /<pre class="code command"><code>([^<]*)<\/code>/g).map(plain);

/** The words of the command as a shell hands them to curl. */
function wordsOf(command: string): string[] {
  return execFileSync('sh', ['-c', `curl() { printf '%s\\0' "$@"; }\n${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1);
}

describe('the reference page', () => {
  test('has an anchor for every operation, schema and problem, and none twice', () => {
    const found = anchors(realPage);
    assert.equal(new Set(found).size, found.length);
    for (const { operationId } of operations(real)) assert.ok(found.includes(operationId), operationId);
    for (const name of Object.keys(real.components.schemas)) assert.ok(found.includes(`schema-${name}`), name);
    for (const name of Object.keys(problems)) assert.ok(found.includes(`problem-${name}`), name);
  });

  test('has no link that leads nowhere', () => {
    const found = new Set(anchors(realPage));
    const links = all(realPage, / href="#([^"]*)"/g);
    assert.ok(links.length > 500);
    assert.deepEqual(
      links.filter((link) => !found.has(link)),
      [],
    );
  });

  test('loads nothing from elsewhere', () => {
    const others = all(realPage, / href="([^#"][^"]*)"/g).filter((link) => !link.startsWith('data:'));
    const served = others.map((link) => /^\.\.\/docs\/([^#]*)/.exec(link)?.[1] ?? link);
    assert.deepEqual(
      served.filter((path) => !documents.has(path)),
      ['../openapi.json'],
    );
    assert.doesNotMatch(realPage, /<[^>]* (src|srcset|action|style|on\w+)=|@import|url\(|<iframe|<object|<embed/i);
  });

  test('has one script, whose hash a content security policy can name', () => {
    const scripts = all(realPage, /<script[^>]*>([\s\S]*?)<\/script>/g);
    assert.equal(scripts.length, 1);
    const hash = createHash('sha256').update(scripts[0] ?? '');
    assert.equal(docsScriptHash, `sha256-${hash.digest('base64')}`);
  });

  test('shows the filter only where a script can make it work', () => {
    assert.match(realPage, /<p class="filter" hidden>/);
  });

  test('reports status, title and remedy of every problem', () => {
    for (const [name, { status, title, remedy }] of Object.entries(problems)) {
      const entry = plain(
        realPage.match(new RegExp(`<article class="problem" id="problem-${name}">.*?</article>`, 's'))?.[0] ?? '',
      );
      for (const text of [String(status), name, title, remedy]) assert.ok(entry.includes(text), `${name}: ${text}`);
    }
  });

  test('links every problem that an operation can answer', () => {
    for (const operation of operations(real)) {
      const article = realPage.match(
        new RegExp(`<article class="operation" id="${operation.operationId}".*?</article>`, 's'),
      );
      const names = Object.values(operation.responses).flatMap((response) => response['x-problems'] ?? []);
      for (const name of names) assert.ok(article?.[0].includes(`href="#problem-${name}"`), name);
    }
  });

  test('goes down the headings one level at a time', () => {
    const levels = all(realPage, /<h([1-6])/g).map(Number);
    assert.equal(levels[0], 1);
    assert.equal(levels.filter((level) => level === 1).length, 1);
    for (const [index, level] of levels.entries()) assert.ok(level <= (levels[index - 1] ?? 0) + 1);
  });

  test('escapes every text of the document', () => {
    const field = Type.String({ description: nasty, pattern: `^[^<"]*$|${nasty}`, examples: [nasty] });
    const api = own(
      thing({ [nasty]: field, kind: Type.Enum([nasty], { type: 'string' }) }),
      { summary: nasty, tag: `${nasty}: ${nasty}` },
      { names: nasty, answer: { status: 200, description: nasty, type: nasty, schema: Type.Literal(nasty) } },
    );
    const page = pageOf({ ...api, info: { ...api.info, title: nasty, version: nasty, description: nasty } });
    assert.doesNotMatch(page, /<script>alert|"x"/);
    assert.equal(all(page, /<(script)/g).length, 1);
    assert.ok(plain(page).includes(nasty));
  });
});

describe('a document on a page', () => {
  const pages = Array.from(documents.keys(), (path): [string, string] => [
    path,
    documentPage({ api: real, plant, documents }, path) ?? '',
  ]);

  test('is one of the guides, the tables or the stacks', () => {
    assert.ok(documents.has('guides/archive.md') && documents.has('generated/settings.md'));
    assert.ok(documents.has('stacks/modbus.md'));
    assert.equal(documentPage({ api: real, plant, documents }, 'guides/../../package.json'), undefined);
  });

  test('links to what is there: operations, documents and their sections', () => {
    const found = new Map([['', new Set(anchors(realPage))]]);
    for (const [path, page] of pages) found.set(path, new Set(anchors(page)));
    for (const [path, page] of pages) {
      const links = all(page, / href="([^"]*)"/g).filter((link) => !/^(data|https?):/.test(link));
      for (const link of links) {
        const [to = '', anchor] = link.split('#');
        const target = found.get(to === '' ? path : to.replace('../', ''));
        assert.ok(target !== undefined && (anchor === undefined || target.has(anchor)), `${path}: ${link}`);
      }
    }
  });

  test('loads nothing, and has the one script', () => {
    for (const [path, page] of pages) {
      assert.doesNotMatch(page, /<[^>]* (src|srcset|action|style|on\w+)=|@import|url\(|<iframe|<object|<embed/i, path);
      assert.equal(all(page, /<(script)/g).length, 1, path);
    }
  });

  test('has its commands at the address of the service', () => {
    const plantElsewhere = { base: 'http://10.1.2.3:99', objects: new Map() };
    const moved = readDocuments(plantElsewhere.base).get('guides/first-steps.md');
    assert.match(moved?.body.text ?? '', /http:\/\/10\.1\.2\.3:99/);
    assert.doesNotMatch(moved?.body.text ?? '', /127\.0\.0\.1:8080/);
  });

  test('is found by the words of each section', () => {
    const [entry] =
      realPage.match(/<li data-find="[^"]*" data-searched hidden><a href="[^"]*archive\.md#[^"]*">/) ?? [];
    assert.ok(entry);
  });
});

describe('a schema on the page', () => {
  const shown = (field: TSchema) =>
    plain(pageOf(own(thing({ field }))).match(/<tr><th scope="row"><code><span.*?<\/tr>/s)?.[0] ?? '');

  test('is reported in words', () => {
    assert.match(shown(Type.Union([Type.String(), Type.Null()])), /text, or null/);
    assert.match(shown(Type.Record(Type.String(), Type.String())), /map of text to text/);
    assert.match(shown(Type.Array(Type.Integer())), /list of integer/);
    assert.match(shown(Type.Tuple([Type.String(), Type.Integer()])), /\[text, integer\]/);
    assert.match(shown(Type.Union([Type.String(), Type.Boolean()])), /text or boolean/);
    assert.match(shown(Type.Unknown()), /any value/);
  });

  test('is reported with what bounds it, and whether it is required', () => {
    assert.match(shown(Type.Integer({ minimum: 0, maximum: 7 })), /required.*0 to 7/s);
    assert.match(shown(Type.Integer({ minimum: 1 })), /1 or more/);
    assert.match(shown(Type.Enum(['lt', 'gt'], { type: 'string' })), /one of lt, gt/);
    assert.match(shown(Type.String({ pattern: '^a$', maxLength: 9 })), /matches \^a\$.*at most 9 characters/);
    assert.doesNotMatch(shown(Type.Optional(Type.String())), /required/);
  });

  test('links the schemas it is made of, and unfolds the objects that have no name', () => {
    const inner = Type.Object({ low: Type.Integer() }, { title: 'Limits' });
    const page = pageOf(own(thing({ limits: Type.Array(inner), at: Type.Object({ line: Type.String() }) })));
    assert.match(page, /list of <a href="#schema-Limits">Limits<\/a>/);
    assert.match(plain(page), /at\.line/);
  });
});

describe('an example', () => {
  const schemas = new Map(Object.entries(real.components.schemas as Record<string, JsonSchema>));

  test('fits the schema of the body and of the answer that it stands for', () => {
    for (const id of httpOperationNames) {
      const { path, body, answer } = declarationOf(id).http;
      for (const schema of [body?.schema, answer.schema]) {
        if (schema === undefined) continue;
        const example = exampleOf(schema as JsonSchema, { schemas, plant, object: exampleObject(path, plant) });
        assert.deepEqual(checker(schema).faults(example), [], `${id}: ${JSON.stringify(example)}`);
      }
    }
  });

  test('is named as its path says', () => {
    assert.deepEqual(
      exampleOf({ $ref: '#/components/schemas/MeasurementBody' }, { schemas, plant, object: { name: 'level' } }),
      {
        name: 'level',
        datatype: 'd',
      },
    );
    const put = commands(realPage).find((command) => /-X PUT .*\/alarms\//s.test(command));
    assert.match(put ?? '', /\/alarms\/level_high \\\n.*"name":"level_high"/s);
  });

  test('is a command line that a shell takes as it is meant', { skip: process.platform === 'win32' }, () => {
    const body = thing({ text: Type.String({ examples: [`it's "$HOME" \`x\``] }) });
    const [command = ''] = commands(pageOf(own(body)));
    const words = wordsOf(command);
    assert.deepEqual(words.slice(0, -1), [
      '-i',
      '-X',
      'PUT',
      'http://127.0.0.1:8080/plant/measurements/level',
      '-H',
      `Content-Type: ${jsonType}`,
      '--data',
    ]);
    assert.deepEqual(JSON.parse(words.at(-1) ?? ''), { text: `it's "$HOME" \`x\`` });
    assert.equal(commands(realPage).length, operations(real).length);
    for (const each of commands(realPage))
      assert.ok(wordsOf(each).some((word) => word.startsWith('http://127.0.0.1:8080/')));
  });

  test('sends bytes from a file and saves bytes to one', () => {
    const page = commands(realPage).join('\n\n');
    assert.match(page, /-H 'Content-Type: application\/x-sqlite3' \\\n {2}--data-binary @database\.sqlite/);
    assert.match(page, /function-modules\/dosing\/executable \\\n {2}-o executable/);
  });

  test('of a schema that contains itself ends', () => {
    const self: JsonSchema = { type: 'object', required: ['next'], properties: { next: { $ref: '#/x/Self' } } };
    assert.deepEqual(exampleOf(self, { schemas: new Map([['Self', self]]), plant, object: { name: 'a' } }), {
      next: { next: null },
    });
  });
});
