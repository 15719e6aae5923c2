// What a protocol stack is written against.
export { default as Type, type Static, type TObject } from 'typebox';
export * from './address-syntax.ts';
export * from './connector.ts';
export * from './define-stack.ts';
export * from './document-stack.ts';
export * from './find-slow-address.ts';
export * from './variables.ts';
