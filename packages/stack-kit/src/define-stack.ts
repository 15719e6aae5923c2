// What a protocol stack declares about itself: its name, its variables, the syntax of its addresses. Everything that
// describes or checks a configuration of the stack derives from here.
import { isIdentifier } from '@telltale/schema';
import Type, { type Static, type TObject } from 'typebox';
import {
  type AddressExample,
  type AddressKind,
  type AddressSyntax,
  compileSyntax,
  type Point,
} from './address-syntax.ts';
import type { Connector, ConnectorOptions } from './connector.ts';
import { type HostVariables, hostVariables } from './host-variables.ts';
import type { Provider, ProviderOptions } from './provider.ts';
import { defineVariables, type ParameterDescription, type ReadVariables, type VariableFault } from './variables.ts';

export interface RoleDeclaration<V extends TObject> {
  /**
   * Each property is an Integer, Number, Boolean, String or Enum of texts, with a title. Those of the host, which every
   * connector and provider has, are added.
   */
  readonly variables: V;
  /** What contradicts each other in variables of which each is right by itself. A secret may be `file:NAME` here. */
  check?(values: Static<V>): VariableFault[];
  /** Undefined where the stack has no such points in this role. */
  readonly measurement: AddressSyntax | undefined;
  readonly command: AddressSyntax | undefined;
}

/** A module with the code that runs, loaded where it runs alone: describing and checking a stack need none of it. */
export type Load<Module> = () => Promise<Module>;

export interface ConnectorModule<Variables> {
  createConnector(options: ConnectorOptions<Variables>): Connector;
}

export interface ProviderModule<Variables> {
  createProvider(options: ProviderOptions<Variables>): Provider;
}

export interface ConnectorDeclaration<V extends TObject> extends RoleDeclaration<V> {
  /** Of alarms that devices raise; undefined where the stack knows none. */
  readonly alarm?: AddressSyntax;
  /** Such as `() => import('./connector.ts')`. */
  readonly load: Load<ConnectorModule<Static<V>>>;
}

export interface ProviderDeclaration<V extends TObject> extends RoleDeclaration<V> {
  /** Such as `() => import('./provider.ts')`. */
  readonly load: Load<ProviderModule<Static<V>>>;
}

export interface StackDeclaration<C extends TObject, P extends TObject> {
  readonly name: string;
  readonly title: string;
  /** A few plain sentences. */
  readonly description: string;
  readonly connector?: ConnectorDeclaration<C>;
  readonly provider?: ProviderDeclaration<P>;
}

export interface AddressDescription {
  enabled: boolean;
  /** Null where not enabled. */
  regex: string | null;
  /** Paragraphs. */
  doc: string[];
  examples: AddressExample[];
}

/** What `GET /stacks/connector/:name` and `GET /stacks/provider/:name` answer. */
export interface StackDescription {
  name: string;
  description: {
    title: string;
    description: string;
    parameters: Record<string, ParameterDescription>;
    measurement: AddressDescription;
    command: AddressDescription;
    /** Of a connector alone. */
    alarm?: AddressDescription;
  };
  /** As `vars` has them: texts. */
  defaults: Record<string, string>;
}

export interface StackRole<Values = unknown> {
  describe(): StackDescription;
  /** `values` is undefined where there are faults. Only own properties of `vars` count. */
  readVariables(vars: Readonly<Record<string, string>>): ReadVariables<Values & HostVariables>;
  /** What is wrong with the address, how to fix it and an example; undefined if it is valid. */
  checkAddress(kind: AddressKind, address: string, point: Point): string | undefined;
}

export interface ConnectorRole<Values = unknown> extends StackRole<Values> {
  readonly load: Load<ConnectorModule<Values>>;
}

export interface ProviderRole<Values = unknown> extends StackRole<Values> {
  readonly load: Load<ProviderModule<Values>>;
}

export interface Stack<ConnectorValues = unknown, ProviderValues = unknown> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly connector?: ConnectorRole<ConnectorValues>;
  readonly provider?: ProviderRole<ProviderValues>;
}

/** Registered for the whole process, since a stack may come with a copy of this package of its own. */
const brand = Symbol.for('telltale.stack.1');

/** Throws, naming the stack and the part, where the declaration contradicts itself. */
export function defineStack<const C extends TObject, const P extends TObject>(
  declaration: StackDeclaration<C, P>,
): Stack<Static<C>, Static<P>> {
  const { name, title, description, connector, provider } = declaration;
  if (typeof name !== 'string' || !isIdentifier(name)) {
    throw new Error(`a stack's name is 1 to 64 of 0-9, a-z, A-Z and _, not ${JSON.stringify(name)}`);
  }
  if (!title || !description) throw new Error(`stack ${name}: a title and a description are required`);
  if (!connector && !provider) throw new Error(`stack ${name}: a connector or a provider is required`);
  return Object.freeze({
    [brand]: true,
    name,
    title,
    description,
    ...(connector && { connector: { ...defineRole(declaration, 'connector', connector), load: connector.load } }),
    ...(provider && { provider: { ...defineRole(declaration, 'provider', provider), load: provider.load } }),
  });
}

/** Recognises the default export of a stack's module, whichever copy of this package made it. */
export function isStack(value: unknown): value is Stack {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, brand);
}

interface Naming {
  readonly name: string;
  readonly title: string;
  readonly description: string;
}

function defineRole<V extends TObject>(
  { name, title, description }: Naming,
  role: 'connector' | 'provider',
  declaration: RoleDeclaration<V> & { readonly load: unknown; readonly alarm?: AddressSyntax },
): StackRole<Static<V>> {
  const variables = within(`stack ${name}: ${role} `, () => defineVariables(withHostVariables(declaration.variables)));
  if (typeof declaration.load !== 'function') {
    throw new Error(`stack ${name}: ${role} load must be a function, such as () => import('./${role}.ts')`);
  }
  const checks = {
    measurement: compile('measurement'),
    command: compile('command'),
    alarm: compile('alarm'),
  };

  function compile(kind: AddressKind) {
    const syntax = declaration[kind];
    const without = kind === 'alarm' ? 'connectorName and address' : 'the address';
    if (syntax === undefined) return () => `a ${name} ${role} has no ${kind}s: leave ${without} out`;
    return within(`stack ${name}: ${role} ${kind} addresses: `, () =>
      compileSyntax(syntax, `${name} ${role} ${kind}s`),
    );
  }

  function checked(read: ReadVariables<Static<V> & HostVariables>): ReadVariables<Static<V> & HostVariables> {
    const faults = read.values === undefined ? [] : (declaration.check?.(read.values) ?? []);
    return faults.length === 0 ? read : { values: undefined, faults };
  }

  return Object.freeze({
    describe: () => ({
      name,
      description: {
        title,
        description,
        parameters: { ...variables.parameters },
        measurement: describeSyntax(declaration.measurement),
        command: describeSyntax(declaration.command),
        ...(role === 'connector' && { alarm: describeSyntax(declaration.alarm) }),
      },
      defaults: { ...variables.defaults },
    }),
    readVariables: (vars) => checked(variables.read(vars) as ReadVariables<Static<V> & HostVariables>),
    checkAddress: (kind, address, point) => checks[kind](address, point),
  } satisfies StackRole<Static<V>>);
}

function withHostVariables(own: TObject): TObject {
  const taken = Object.keys(hostVariables.properties).find((each) => Object.hasOwn(own.properties, each));
  if (taken !== undefined) throw new Error(`variable ${taken}: the host has one of this name`);
  return Type.Object({ ...own.properties, ...hostVariables.properties });
}

function describeSyntax(syntax: AddressSyntax | undefined): AddressDescription {
  if (syntax === undefined) return { enabled: false, regex: null, doc: [], examples: [] };
  const { regex, doc, examples } = syntax;
  return { enabled: true, regex, doc: doc.split('\n\n'), examples: [...examples] };
}

function within<T>(place: string, make: () => T): T {
  try {
    return make();
  } catch (error) {
    throw new Error(place + (error as Error).message, { cause: error });
  }
}
