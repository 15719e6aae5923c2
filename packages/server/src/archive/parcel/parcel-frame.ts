// What is around the block of zstd: magic, version, two zeroes, the length of what is packed, the checksum of the block.

export const parcelMagic = 0x43_50_54_54; // 'TTPC'
/** A reader takes this one and the one before. */
export const parcelVersion = 1;
export const frameBytes = 16;
