// Parcels that are decoded, for the next read: they never change. Their memory is bounded.
import { decodeParcel, type Parcel } from '../../archive/query/index.ts';

export interface ParcelKey {
  readonly site: string;
  readonly epoch: number;
  readonly seq: number;
  /** After the store was put back from a backup, another one may come with the same number. */
  readonly receivedUs: number;
  /** As they came. */
  readonly bytes: number;
}

interface Kept {
  readonly parcel: Parcel;
  readonly bytes: number;
}

const usualMostBytes = 64 << 20;

export class DecodedParcels {
  readonly #mostBytes: number;
  /** The one that was used longest ago first. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  constructor(mostBytes = usualMostBytes) {
    this.#mostBytes = mostBytes;
  }

  get(key: ParcelKey): Parcel | undefined {
    const text = textOf(key);
    const kept = this.#kept.get(text);
    if (kept === undefined) return undefined;
    this.#kept.delete(text);
    this.#kept.set(text, kept);
    return kept.parcel;
  }

  /** Throws `BadParcel`. */
  decode(key: ParcelKey, encoded: Uint8Array): Parcel {
    const parcel = decodeParcel(encoded);
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
}

function textOf({ site, epoch, seq, receivedUs }: ParcelKey): string {
  return `${epoch} ${seq} ${receivedUs} ${site}`;
}

/** About. */
function bytesOf({ sections, erasures, series }: Parcel): number {
  const ofSections = sections.map(({ columns }) => {
    const texts = columns.texts.reduce((sum, text) => sum + 16 + 2 * text.length, 0);
    return 18 * columns.capacity + texts;
  });
  return ofSections.reduce((sum, bytes) => sum + bytes, 1000 + 100 * (erasures.length + series.length));
}
