// One operation on the page: its summary, parameters and answers, and a command line that runs it.
import type { ProblemName } from '@telltale/schema';
import type { OpenApiResponse, Operation, Parameter } from '../openapi.ts';
import { curlExample, type ExampleSources, exampleJson, firstMedia, isBinary } from './docs-curl.ts';
import { exampleObject, exampleOf } from './docs-example.ts';
import { operationProblems, statusBadge } from './docs-problems.ts';
import { constraintList, constraints, fieldTable, schemaInFull, typeInWords } from './docs-schema.ts';
import { type Content, type Html, html } from './html.ts';
import { type JsonSchema, resolve, type Schemas } from './json-schema.ts';

export interface RoutedOperation {
  readonly method: string;
  readonly path: string;
  readonly operation: Operation;
}

export interface OperationSurroundings extends ExampleSources {
  readonly common: ReadonlySet<ProblemName>;
  /** The address of the guide to it. */
  readonly guide: string | undefined;
}

export function methodBadge(method: string): Html {
  return html`<span class="method ${method}">${method.toUpperCase()}</span>`;
}

/** May break after each slash; the parameters stand out. */
export function pathInCode(path: string): Html {
  const parts = path.split(/(?<=\/)|(?=\{)|(?<=\})/);
  return html`<code class="path">${parts.map((part) =>
    part.startsWith('{') ? html`<var>${part}</var>` : html`${part}${part.endsWith('/') && html`<wbr>`}`,
  )}</code>`;
}

export function operationArticle({ method, path, operation }: RoutedOperation, around: OperationSurroundings): Html {
  const { operationId: id, summary, parameters = [], requestBody, responses } = operation;
  const { schemas, common } = around;
  const answers = Object.entries(responses).filter(([, response]) => response['x-problems'] === undefined);
  return html`<article class="operation" id="${id}" aria-labelledby="${id}-title">
<h3 id="${id}-title"><a class="self" href="#${id}">${summary}</a></h3>
<p class="endpoint">${methodBadge(method)} ${pathInCode(path)}${
    around.guide && html` <a class="guide" href="${around.guide}">Guide</a>`
  }</p>
<div class="columns"><div class="facts">
${parameterTable(parameters, schemas)}
${requestBody && body(requestBody.content, schemas)}
<h4>Answer</h4>
${answers.map(([status, response]) => answer(status, response, schemas))}
${operationProblems(operation, common)}
</div><div class="example">
<h4>Example</h4>
<pre class="code command"><code>${curlExample(method, path, operation, around)}</code></pre>
${answers.slice(0, 1).map(([status, response]) => exampleAnswer(status, response, path, around))}
</div></div></article>`;
}

function parameterTable(parameters: readonly Parameter[], schemas: Schemas): Content {
  if (parameters.length === 0) return undefined;
  return html`<h4>Parameters</h4><table class="fields"><thead><tr><th scope="col">Parameter</th>
<th scope="col">Type</th><th scope="col">Description</th></tr></thead><tbody>${parameters.map((parameter) => {
    const schema = parameter.schema as JsonSchema;
    const bounds = [
      ...constraints(schema),
      ...(parameter.in === 'query' && schema.type === 'boolean' ? ['1 or 0'] : []),
    ];
    return html`<tr><th scope="row"><code>${parameter.name}</code> <span class="in">in ${parameter.in}</span>${
      parameter.required && html` <span class="required">required</span>`
    }</th><td class="type">${typeInWords(schema, schemas)}${constraintList(bounds)}</td>
<td>${parameter.description || schema.description}</td></tr>`;
  })}</tbody></table>`;
}

function body(content: Readonly<Record<string, { schema?: unknown }>>, schemas: Schemas): Html {
  const types = Object.keys(content);
  const media = firstMedia(content);
  const strict = media !== undefined && resolve(media.schema, schemas).additionalProperties === false;
  return html`<h4>Body</h4>
<p>${types.map((type, index) => html`${index > 0 && ' or '}<code>${type}</code>`)}${
    media && html`: ${typeInWords(media.schema, schemas)}`
  }</p>${
    media !== undefined &&
    !isBinary(media) &&
    html`${schemaInFull(media.schema, schemas)}${strict && html`<p class="note">Other fields are refused.</p>`}`
  }`;
}

function answer(status: string, { description, content }: OpenApiResponse, schemas: Schemas): Html {
  const media = firstMedia(content);
  const fields = media && fieldTable(media.schema, schemas);
  return html`<p class="answer">${statusBadge(status)} ${description}</p>${
    media &&
    html`<p class="media"><code>${media.type}</code>: ${typeInWords(media.schema, schemas)}${structure(
      media.schema,
      schemas,
    )}</p>`
  }${fields && html`<details><summary>Fields</summary>${fields}</details>`}`;
}

/** For a named schema that is not an object with fields: its type. */
function structure(schema: JsonSchema, schemas: Schemas): Content {
  const whole = resolve(schema, schemas);
  return whole !== schema && whole.properties === undefined && html`, a ${typeInWords(whole, schemas)}`;
}

function exampleAnswer(
  status: string,
  { content }: OpenApiResponse,
  path: string,
  { schemas, plant }: ExampleSources,
): Content {
  const media = firstMedia(content);
  if (media === undefined || isBinary(media) || !/\bjson$/.test(media.type)) return undefined;
  const example = exampleJson(exampleOf(media.schema, { schemas, plant, object: exampleObject(path, plant) }));
  return (
    example !== '{}' && html`<h4>Answer ${statusBadge(status)}</h4><pre class="code"><code>${example}</code></pre>`
  );
}
