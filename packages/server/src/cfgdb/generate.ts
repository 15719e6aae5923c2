// Makes or updates the objects of a type for each of its instances, as one transaction, and tells what that changes and what
// people changed since.
import {
  checker,
  type Family,
  type FamilyObject,
  type Fault,
  GenerateRequest,
  maxFaults,
  maxOperations,
  ProblemError,
  strangersJson,
} from '@telltale/schema';
import { release } from '../threads/index.ts';
import {
  type ExpandedObject,
  type ExpansionFault,
  expandType,
  InstanceReader,
  invalidTypical,
  placeInType,
  type ReadType,
  readType,
} from '../typicals/index.ts';
import type { Configuration, Rendering } from './configuration.ts';
import { GeneratePlan } from './generate-plan.ts';
import type { Made } from './made-objects.ts';
import { invalidBody, readPut, reservedFault, type Step } from './read-objects.ts';
import { type NewNames, newNamesBy, type Rename, referencesAfter } from './renamed-references.ts';
import { type SharedBytes, shownBytes } from './shared-bytes.ts';

export interface GenerateOptions extends Rendering {
  /** Everything is checked and carried out, and undone. */
  readonly dryRun: boolean;
  /** Objects of the type that it does not make any more are deleted. */
  readonly deleteMissing: boolean;
  /** The type counts, whatever people did. */
  readonly overwrite: boolean;
}

/** Of all objects together, as JSON: as much as a transaction may have. */
const mostCharacters = 64 << 20;

const requests = checker(GenerateRequest);

/** In steps; no other change may come between them. */
export function* generate(
  configuration: Pick<Configuration, 'content' | 'made' | 'sealed' | 'transaction'>,
  body: Uint8Array,
  options: GenerateOptions,
  author: string,
): Generator<undefined, SharedBytes> {
  const { type, request } = yield* readRequest(body);
  const instances = yield* readInstances(type, request);
  const { content, made } = configuration;
  const plan = new GeneratePlan(type.name, content, made, options);
  const expansion = new Expansion(
    made.renamed().filter(({ family, madeName }) => !content[family].has(madeName)),
    configuration,
  );
  for (const instance of instances) {
    for (const expanded of expandType(type, instance)) {
      const step = expansion.read(expanded);
      if (step !== undefined) plan.add(configuration.sealed(step.object), step.parsed, instance.name);
      yield;
    }
  }
  expansion.refuseFaults();
  const { steps, marks, result } = plan.end(instances.length);
  try {
    const { dryRun, render, comment } = options;
    configuration.transaction(steps, { commit: !dryRun, render, comment }, author, ({ made }) => {
      for (const mark of marks.removed) made.remove(mark);
      for (const mark of marks.put) made.put(mark);
    });
  } catch (error) {
    throw expansion.withPlaces(error);
  }
  return shownBytes([JSON.stringify(result)]);
}

function* readRequest(body: Uint8Array): Generator<undefined, { type: ReadType; request: GenerateRequest }> {
  const reader = strangersJson(body, undefined, body.length);
  yield* reader.read();
  const request = reader.value as GenerateRequest;
  const faults: Fault[] = [...requests.faults(request, '', maxFaults)];
  if (faults.length > 0) throw invalidBody(faults);
  const hasFile = request.file !== undefined;
  if (hasFile === (request.instances !== undefined)) {
    throw invalidBody([
      { path: hasFile ? '/file' : '/instances', message: hasFile ? 'goes without instances' : 'is required, or file' },
    ]);
  }
  const type = readType(request.type, faults);
  if (type === undefined) throw invalidTypical(faults);
  release(body);
  return { type, request };
}

function readInstances(type: ReadType, { file, instances = [] }: GenerateRequest) {
  const reader = new InstanceReader(type);
  if (file === undefined) return reader.readList(instances);
  const digits = file.replaceAll(/\s/g, ''); // first: both in one pattern would go back and forth
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(digits)) throw invalidBody([{ path: '/file', message: 'must be base64' }]);
  return reader.readFile(Buffer.from(digits, 'base64'));
}

type Put = Extract<Step, { operation: 'put' }>;

/** Checks what was expanded. The same fault of many instances is told once. */
class Expansion {
  /** Of objects that people renamed, by the name that a type gave. */
  readonly #newNames: NewNames;
  readonly #configuration: Pick<Configuration, 'content'>;
  readonly #faults: Fault[] = [];
  readonly #told = new Set<string>();
  /** From family and name to where it comes from. */
  readonly #places = new Map<string, string>();
  #objects = 0;
  #characters = 0;

  constructor(renamed: readonly Made[], configuration: Pick<Configuration, 'content'>) {
    const renames = renamed.map(({ family, madeName: from, name: to }) => ({ family, from, to }) as Rename);
    this.#newNames = newNamesBy(renames);
    this.#configuration = configuration;
  }

  read(expanded: ExpandedObject | ExpansionFault): Put | undefined {
    if (!('object' in expanded)) {
      const { maker, field, path, message } = expanded;
      const what = [maker.family, maker.key.slice(0, 80), field].filter((part) => part !== '').join('/');
      this.#fault(`${path}: ${what}`, { path, message: `${message}, for ${what} of the type` });
      return undefined;
    }
    const { family, name, maker, instance } = expanded;
    this.#bound(expanded.characters);
    const faults: Fault[] = [];
    const step = name === 'names' ? void faults.push(reservedFault('')) : this.#put(expanded, faults);
    for (const { path, message } of faults) {
      const place = placeInType('objects', family, maker.key) + path;
      this.#fault(`${place} ${message}`, { path: place, message: `${message} (${instance.place()}: ${shown(name)})` });
    }
    if (step === undefined) return undefined;
    const key = `${family}/${name}`;
    const other = this.#places.get(key);
    if (other !== undefined) {
      this.#fault(`${instance.place()} ${key}`, { path: instance.place(), message: `makes ${key}, as ${other} does` });
      return undefined;
    }
    this.#places.set(key, instance.place());
    return step;
  }

  refuseFaults(): void {
    if (this.#faults.length > 0) throw invalidTypical(this.#faults);
  }

  /** What a rendering refuses is named by its instance, where one has made it. */
  withPlaces(error: unknown): unknown {
    if (!(error instanceof ProblemError) || error.problem !== 'render-refused') return error;
    const errors = error.errors?.map((fault) => {
      const place = this.#places.get(`${fault.family}/${fault.name}`);
      return place === undefined ? fault : { ...fault, message: `${fault.message} (${place})` };
    });
    return new ProblemError(error.problem, error.message, errors);
  }

  #put({ family, name, object }: ExpandedObject, faults: Fault[]): Put | undefined {
    const followed = referencesAfter(
      family,
      object as FamilyObject[Family],
      this.#configuration.content,
      this.#newNames,
    );
    try {
      return readPut(family, name, followed, '', faults) as Put | undefined;
    } catch (error) {
      if (!(error instanceof ProblemError)) throw error;
      faults.push(...(error.errors ?? [{ path: '', message: error.message }]));
      return undefined;
    }
  }

  /** Those that are faulty too: each takes its time. */
  #bound(characters: number): void {
    this.#objects++;
    this.#characters += characters;
    if (this.#objects <= maxOperations && this.#characters <= mostCharacters) return;
    const limits = `${maxOperations} objects or ${mostCharacters >> 20} MiB`;
    throw new ProblemError('table-too-large', `The instances make more than ${limits}: generate them in parts.`);
  }

  #fault(id: string, fault: Fault): void {
    if (this.#told.has(id)) return;
    this.#told.add(id);
    this.#faults.push(fault);
    if (this.#faults.length >= maxFaults) this.refuseFaults();
  }
}

function shown(text: string): string {
  return JSON.stringify(text.slice(0, 80));
}
