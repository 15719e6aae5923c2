// The User-based Security Model of version 3 (RFC 3414, 3826, 7860): keys from passphrases, signatures, encryption.
import { createCipheriv, createDecipheriv, createHash, createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { Fatal } from '@telltale/stack-kit';
import { BerReader, element, Malformed, tag } from './ber.ts';
import { decodeScoped, encodeSecured, type ScopedPdu, type SecuredMessage } from './message.ts';

export type AuthProtocol = 'md5' | 'sha' | 'sha224' | 'sha256' | 'sha384' | 'sha512';
export type PrivProtocol = 'des' | 'aes' | 'aes256' | 'aes256c';
export type SecurityLevel = 'noAuthNoPriv' | 'authNoPriv' | 'authPriv';

interface Hash {
  readonly name: string;
  readonly length: number;
}

const hashes: Readonly<Record<AuthProtocol, Hash>> = {
  md5: { name: 'md5', length: 12 },
  sha: { name: 'sha1', length: 12 },
  sha224: { name: 'sha224', length: 16 },
  sha256: { name: 'sha256', length: 24 },
  sha384: { name: 'sha384', length: 32 },
  sha512: { name: 'sha512', length: 48 },
};

/** Of a passphrase, as the standard wants it. */
const minKeyLength = 8;
const expandedBytes = 1024 * 1024;
/** For how many engines a user caches keys; those of further ones are derived again. */
const maxEngines = 64;

export interface UserOptions {
  readonly user: string;
  readonly securityLevel: SecurityLevel;
  readonly authProtocol: AuthProtocol;
  readonly authKey: string;
  readonly privProtocol: PrivProtocol;
  readonly privKey: string;
}

interface EngineKeys {
  readonly auth: Buffer;
  /** Derived on first use: it is expensive, and an unauthenticated message must not cause it. */
  priv: Buffer | undefined;
}

/** What is known of the engine that a message is for, or comes from. */
export interface EngineTime {
  readonly engineId: Buffer;
  readonly boots: number;
  readonly time: number;
}

export class UsmUser {
  readonly name: string;
  readonly level: SecurityLevel;
  readonly #authProtocol: AuthProtocol;
  readonly #privProtocol: PrivProtocol;
  /** Made from the passphrases once, since it is much work by design: so no message can make it happen again. */
  readonly #authMaster: Buffer;
  readonly #privMaster: Buffer;
  readonly #engines = new Map<string, EngineKeys>();
  readonly #salt = randomBytes(8);

  /** Throws `Fatal`: where a secret stands in a file, this is the first who sees it. */
  constructor(options: UserOptions) {
    const { user, securityLevel, authKey, privKey } = options;
    const isShort = securityLevel !== 'noAuthNoPriv' && authKey.length < minKeyLength;
    if (isShort || (securityLevel === 'authPriv' && privKey.length < minKeyLength)) {
      throw new Fatal(`authKey and privKey of the user ${user} must have at least ${minKeyLength} characters`);
    }
    this.name = user;
    this.level = options.securityLevel;
    this.#authProtocol = options.authProtocol;
    this.#privProtocol = options.privProtocol;
    const none = Buffer.alloc(0);
    this.#authMaster = this.hasAuth ? masterKey(options.authProtocol, Buffer.from(options.authKey, 'utf8')) : none;
    this.#privMaster = this.hasPriv ? masterKey(options.authProtocol, Buffer.from(options.privKey, 'utf8')) : none;
  }

  get hasAuth(): boolean {
    return this.level !== 'noAuthNoPriv';
  }

  get hasPriv(): boolean {
    return this.level === 'authPriv';
  }

  /** The bytes of a message of this user, signed and encrypted as its level has it. */
  seal(
    engine: EngineTime,
    header: { readonly msgId: number; readonly isReportable: boolean },
    scopedPdu: Buffer,
    { isEncrypted = this.hasPriv }: { readonly isEncrypted?: boolean } = {},
  ): Buffer {
    const hash = hashes[this.#authProtocol];
    const locked = isEncrypted ? this.#encrypt(engine, scopedPdu) : undefined;
    const { bytes, authOffset } = encodeSecured({
      ...header,
      isAuthenticated: this.hasAuth,
      isEncrypted,
      engineId: engine.engineId,
      engineBoots: engine.boots,
      engineTime: engine.time,
      user: this.name,
      authParameters: Buffer.alloc(this.hasAuth ? hash.length : 0),
      privParameters: locked?.salt ?? Buffer.alloc(0),
      scoped: locked === undefined ? scopedPdu : element(tag.octets, locked.bytes),
    });
    if (this.hasAuth) bytes.set(signature(hash, this.#keysOf(engine.engineId).auth, bytes), authOffset);
    return bytes;
  }

  /** Whether the signature is that of this user. */
  isSigned(message: SecuredMessage): boolean {
    const hash = hashes[this.#authProtocol];
    const { authParameters, authOffset, engineId, bytes } = message;
    if (!this.hasAuth || authParameters.length !== hash.length) return false;
    const unsigned = Buffer.from(bytes);
    unsigned.fill(0, authOffset, authOffset + hash.length);
    return timingSafeEqual(signature(hash, this.#keysOf(engineId).auth, unsigned), authParameters);
  }

  /** After `isSigned`. Throws `Malformed` where it cannot be decrypted. */
  open(message: SecuredMessage): ScopedPdu {
    if (!message.isEncrypted) return decodeScoped(message.scoped);
    if (!this.hasPriv) throw new Malformed('encrypted, and there is no key');
    // A block cipher pads: what follows the sequence is passed over.
    return decodeScoped(new BerReader(this.#decrypt(message)).content(tag.sequence));
  }

  #keysOf(engineId: Buffer): EngineKeys {
    const name = engineId.toString('hex');
    let keys = this.#engines.get(name);
    if (keys === undefined) {
      const auth = this.hasAuth ? localized(this.#authProtocol, this.#authMaster, engineId) : this.#authMaster;
      keys = { auth, priv: undefined };
      const oldest = this.#engines.keys().next().value;
      if (this.#engines.size >= maxEngines && oldest !== undefined) this.#engines.delete(oldest);
      this.#engines.set(name, keys);
    }
    return keys;
  }

  #privKeyOf(engineId: Buffer): Buffer {
    const keys = this.#keysOf(engineId);
    keys.priv ??= this.#makePrivKey(engineId);
    return keys.priv;
  }

  #makePrivKey(engineId: Buffer): Buffer {
    const hash = hashes[this.#authProtocol].name;
    const length = this.#privProtocol === 'des' || this.#privProtocol === 'aes' ? 16 : 32;
    let key = localized(this.#authProtocol, this.#privMaster, engineId);
    while (key.length < length) {
      const more =
        this.#privProtocol === 'aes256c'
          ? localized(this.#authProtocol, masterKey(this.#authProtocol, key), engineId)
          : createHash(hash).update(key).digest();
      key = Buffer.concat([key, more]);
    }
    return key.subarray(0, length);
  }

  #encrypt({ engineId, boots, time }: EngineTime, plain: Buffer): { bytes: Buffer; salt: Buffer } {
    const key = this.#privKeyOf(engineId);
    // A salt must not be used twice with a key: it begins anywhere and counts.
    this.#salt.writeBigUInt64BE(BigInt.asUintN(64, this.#salt.readBigUInt64BE() + 1n));
    const salt = Buffer.from(this.#salt);
    if (this.#privProtocol === 'des') {
      const padded = Buffer.alloc(Math.ceil(plain.length / 8) * 8);
      padded.set(plain);
      const cipher = createCipheriv('des-ede3-cbc', tripled(key), desVector(key, salt)).setAutoPadding(false);
      return { bytes: Buffer.concat([cipher.update(padded), cipher.final()]), salt };
    }
    const cipher = createCipheriv(aesName(key), key, aesVector(boots, time, salt));
    return { bytes: Buffer.concat([cipher.update(plain), cipher.final()]), salt };
  }

  #decrypt({ engineId, engineBoots, engineTime, privParameters, scoped }: SecuredMessage): Buffer {
    const key = this.#privKeyOf(engineId);
    if (privParameters.length !== 8) throw new Malformed('the salt has not 8 bytes');
    if (this.#privProtocol === 'des') {
      if (scoped.length === 0 || scoped.length % 8 !== 0) throw new Malformed('encrypted bytes that are no blocks');
      const vector = desVector(key, privParameters);
      const decipher = createDecipheriv('des-ede3-cbc', tripled(key), vector).setAutoPadding(false);
      return Buffer.concat([decipher.update(scoped), decipher.final()]);
    }
    const decipher = createDecipheriv(aesName(key), key, aesVector(engineBoots, engineTime, privParameters));
    return Buffer.concat([decipher.update(scoped), decipher.final()]);
  }
}

function masterKey(protocol: AuthProtocol, passphrase: Buffer): Buffer {
  return createHash(hashes[protocol].name).update(Buffer.alloc(expandedBytes, passphrase)).digest();
}

/** The key for one engine, so that no other engine can use it. */
function localized(protocol: AuthProtocol, master: Buffer, engineId: Buffer): Buffer {
  return createHash(hashes[protocol].name).update(master).update(engineId).update(master).digest();
}

function signature({ name, length }: Hash, key: Buffer, bytes: Buffer): Buffer {
  return createHmac(name, key).update(bytes).digest().subarray(0, length);
}

/** Triple DES with one key is DES, which OpenSSL no longer offers by itself. */
function tripled(key: Buffer): Buffer {
  const single = key.subarray(0, 8);
  return Buffer.concat([single, single, single]);
}

function desVector(key: Buffer, salt: Buffer): Buffer {
  const vector = Buffer.alloc(8);
  for (let at = 0; at < 8; at++) vector[at] = (key[8 + at] ?? 0) ^ (salt[at] ?? 0);
  return vector;
}

function aesName(key: Buffer): string {
  return key.length === 16 ? 'aes-128-cfb' : 'aes-256-cfb';
}

function aesVector(boots: number, time: number, salt: Buffer): Buffer {
  const vector = Buffer.alloc(16);
  vector.writeUInt32BE(boots >>> 0, 0);
  vector.writeUInt32BE(time >>> 0, 4);
  vector.set(salt, 8);
  return vector;
}
