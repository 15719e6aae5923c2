// The type on the wire of a type that a server declares, which may be one of its own.
import { DataType, NodeId } from 'node-opcua-client';
import { supertypesOf } from './supertypes.ts';
import type { UaLink } from './ua-link.ts';

const enumeration = 29;
/** A chain of types is not deeper. */
const maxSupertypes = 20;

/** Up the chain of types to one that has a form on the wire; undefined where it ends at an abstract one. */
export async function builtInTypeOf(link: UaLink, declared: unknown): Promise<DataType | undefined> {
  let type = declared;
  for (let depth = 0; depth < maxSupertypes && type instanceof NodeId; depth++) {
    const number = type.namespace === 0 ? Number(type.value) : 0;
    if (number === enumeration) return DataType.Int32;
    if (number >= 1 && number <= DataType.LocalizedText) return number;
    [type] = await supertypesOf(link, [type]);
  }
  return undefined;
}
