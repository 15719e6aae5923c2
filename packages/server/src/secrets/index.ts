// What others use of the secrets of connectors and providers.
export { boundElsewhere, destinationOf } from './destination.ts';
export { InlineSecrets, type SecretNeeds, type StackParameters } from './inline-secrets.ts';
export { InstanceSecrets } from './instance-secrets.ts';
export {
  type Destination,
  inlinePlace,
  isStored,
  masked,
  type Role,
  Seal,
  SealedOtherwise,
  type SealKeys,
  type StoredSecret,
  stars,
  storedIn,
} from './seal.ts';
export { SealedFolder } from './sealed-folder.ts';
export { type FoundSecret, isSecretName, mostSecretBytes, SecretFiles } from './secret-files.ts';
export { BadKey, readKeys } from './secret-key.ts';
