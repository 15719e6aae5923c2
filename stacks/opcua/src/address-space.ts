// The address space of the library, as far as the provider uses it.
import type { OPCUAServer } from 'node-opcua-server';

export type AddressSpace = NonNullable<OPCUAServer['engine']['addressSpace']>;
export type Namespace = ReturnType<AddressSpace['registerNamespace']>;
export type Variable = ReturnType<Namespace['addVariable']>;
