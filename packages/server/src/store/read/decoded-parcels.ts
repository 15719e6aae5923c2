// Parcels that are decoded, for the next read: they never change. Their memory is bounded. One that cannot be read is as one without
// records, as the sealer passes over it.
import { BadParcel, decodeParcel, type Parcel } from '../../archive/query/index.ts';

export interface ParcelKey {
  readonly site: string;
  readonly epoch: number;
  readonly seq: number;
  /** After the store was put back from a backup, another one may come with the same number. */
  readonly receivedUs: number;
  /** As they came. */
  readonly bytes: number;
}

/** What queries take from a parcel. */
export type UnsealedParcel = Pick<Parcel, 'epoch' | 'sections' | 'erasures'>;

export type OnDamaged = (key: ParcelKey, reason: string) => void;

interface Kept {
  readonly parcel: UnsealedParcel;
  readonly bytes: number;
}

const usualMostBytes = 64 << 20;

export class DecodedParcels {
  readonly #onDamaged: OnDamaged;
  readonly #mostBytes: number;
  /** The one that was used longest ago first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** `onDamaged`: one cannot be read; it may be told again. */
  constructor(onDamaged: OnDamaged, mostBytes = usualMostBytes) {
    this.#onDamaged = onDamaged;
    this.#mostBytes = mostBytes;
  }

  get(key: ParcelKey): UnsealedParcel | undefined {
    const text = textOf(key);
    const kept = this.#kept.get(text);
    if (kept === undefined) return undefined;
    this.#kept.delete(text);
    this.#kept.set(text, kept);
    return kept.parcel;
  }

  decode(key: ParcelKey, encoded: Uint8Array): UnsealedParcel {
    const parcel = this.#read(key, encoded);
    const bytes = bytesOf(parcel);
    this.#kept.set(textOf(key), { parcel, bytes });
    this.#bytes += bytes;
    for (const [text, kept] of this.#kept) {
      if (this.#bytes <= this.#mostBytes) break;
      this.#kept.delete(text);
      this.#bytes -= kept.bytes;
    }
    return parcel;
  }

  #read(key: ParcelKey, encoded: Uint8Array): UnsealedParcel {
    try {
      const { epoch, sections, erasures } = decodeParcel(encoded);
      return { epoch, sections, erasures };
    } catch (error) {
      if (!(error instanceof BadParcel)) throw error;
      this.#onDamaged(key, error.message);
      return { epoch: key.epoch, sections: [], erasures: [] };
    }
  }
}

function textOf({ site, epoch, seq, receivedUs }: ParcelKey): string {
  return `${epoch} ${seq} ${receivedUs} ${site}`;
}

/** About. */
function bytesOf({ sections, erasures }: UnsealedParcel): number {
  const ofSections = sections.map(({ columns }) => {
    const texts = columns.texts.reduce((sum, text) => sum + 16 + 2 * text.length, 0);
    return 18 * columns.capacity + texts;
  });
  return ofSections.reduce((sum, bytes) => sum + bytes, 1000 + 100 * erasures.length);
}
