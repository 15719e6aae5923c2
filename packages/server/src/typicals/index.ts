// Typicals: types, their instances, and the objects that they make.
export { type ExpandedObject, type ExpansionFault, expandType } from './expand-type.ts';
export { InstanceReader, invalidTypical } from './read-instances.ts';
export { placeInType, type ReadType, readType } from './read-type.ts';
