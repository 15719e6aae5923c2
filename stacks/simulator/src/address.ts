// The parser of addresses: `sine(low=4, high=20)` to a function and its arguments, or to what is wrong with it. Pure.
import { type AddressFunction, type FunctionName, functionNames, functions } from './functions.ts';

/** A function with its arguments, defaults filled in. */
export type Address = {
  [F in FunctionName]: {
    function: F;
    arguments: (typeof functions)[F] extends AddressFunction<infer Values> ? Values : never;
  };
}[FunctionName];

export type ParsedAddress =
  /** `given` are the names of the arguments that the text itself has. */
  { address: Address; given: string[]; fault?: never } | { address?: never; fault: string };

/** The outer form; what is inside is the parser's. Quoted texts may have anything but quotes in them. */
export const addressRegex = String.raw`^[a-z_]{1,32}\((?:[^\(\)"]|"[^"]*")*\)$`;

const outerForm = /^([a-z_]{1,32})\((.*)\)$/su;
const argumentForm = /\s*(?:([^\s,="()]+)\s*=\s*)?(?:"([^"]*)"|([^\s,="()]+))\s*(?:,(?!\s*$)|$)/uy;

/** Bound the length of the text before. */
export function parseAddress(text: string, hasModel = false): ParsedAddress {
  const [, name, inside] = outerForm.exec(text) ?? [];
  if (name === undefined || inside === undefined) {
    return { fault: `${JSON.stringify(text)} is not of the form function(argument=value, …)` };
  }
  const names = functionNames(hasModel);
  if (!isAmong(names, name)) return { fault: `unknown function ${name}: one of ${names.join(', ')}` };
  const texts = readArguments(name, inside);
  if (typeof texts === 'string') return { fault: `${name}: ${texts}` };
  const read = functions[name].read(Object.fromEntries(texts));
  if ('fault' in read) return { fault: `${name}: ${read.fault}` };
  return { address: { function: name, arguments: read.values } as Address, given: [...texts.keys()] };
}

function isAmong(names: readonly FunctionName[], name: string): name is FunctionName {
  return (names as readonly string[]).includes(name);
}

/** The arguments by name, or what is wrong. */
function readArguments(name: FunctionName, inside: string): Map<string, string> | string {
  const { positional, parameters }: AddressFunction<unknown> = functions[name];
  const texts = new Map<string, string>();
  if (inside.trim() === '') return texts;
  const form = new RegExp(argumentForm);
  while (form.lastIndex < inside.length) {
    const start = form.lastIndex;
    const [, key, quoted, bare] = form.exec(inside) ?? [];
    const value = quoted ?? bare;
    if (value === undefined) {
      return `cannot read ${JSON.stringify(inside.slice(start).trim())}: argument=value is expected`;
    }
    const argument = key ?? (start === 0 ? positional : undefined);
    if (argument === undefined) {
      const free = Object.keys(parameters).find((parameter) => parameter !== positional && !texts.has(parameter));
      return `${value} has no name before it: write it as in ${free ?? 'argument'}=${value}`;
    }
    if (key !== undefined && key === positional) return `write ${value} first, without ${key}=`;
    if (texts.has(argument)) return `${argument} is given twice`;
    if (quoted !== undefined && Object.hasOwn(parameters, argument) && parameters[argument]?.type !== 'string') {
      return `${argument} is a number: write it without quotes`;
    }
    texts.set(argument, value);
  }
  return texts;
}
