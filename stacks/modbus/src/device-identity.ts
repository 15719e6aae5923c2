// What a provider says of itself: the server id (function 17) and the device identification (function 43/14). Pure.
import { exceptionCodes, functionCodes, ModbusException, maxPduBytes } from './pdu.ts';

export interface DeviceIdentity {
  readonly vendorName: string;
  readonly productCode: string;
  readonly revision: string;
  readonly vendorUrl: string;
  readonly productName: string;
  readonly modelName: string;
  readonly applicationName: string;
}

/** In the order of their object ids. The first three are basic, and always there; the others where they are not empty. */
const objectNames = [
  ...['vendorName', 'productCode', 'revision'],
  ...['vendorUrl', 'productName', 'modelName', 'applicationName'],
] as readonly (keyof DeviceIdentity)[];
const basicObjects = 3;
const deviceIdentification = 0x0e;
/** Regular identification, by stream and by object. */
const conformityLevel = 0x82;
const headerBytes = 7;
const readCodes = { basic: 1, individual: 4 } as const;

/** The unit, that it runs, and the name of the product. Throws a `ModbusException`. */
export function serverIdAnswer(identity: DeviceIdentity, unit: number, pdu: Uint8Array): Uint8Array {
  if (pdu.length !== 1) throw new ModbusException(exceptionCodes.illegalDataValue);
  const text = Buffer.from(`${identity.productName} ${identity.revision}`.trim(), 'latin1');
  return Uint8Array.of(functionCodes.reportServerId, 2 + text.length, unit, 0xff, ...text);
}

/** Throws a `ModbusException`. */
export function identificationAnswer(identity: DeviceIdentity, pdu: Uint8Array): Uint8Array {
  const [, type, readCode = 0, objectId = 0] = pdu;
  if (type !== deviceIdentification) throw new ModbusException(exceptionCodes.illegalFunction);
  if (pdu.length !== 4 || readCode < readCodes.basic || readCode > readCodes.individual) {
    throw new ModbusException(exceptionCodes.illegalDataValue);
  }
  const objects = objectsOf(identity);
  if (readCode === readCodes.individual) {
    const object = objects.get(objectId);
    if (object === undefined) throw new ModbusException(exceptionCodes.illegalDataAddress);
    return answerWith(readCode, [[objectId, object]], 0);
  }
  // There is nothing extended: who asks for it gets what there is.
  const ids = [...objects.keys()].filter((id) => readCode !== readCodes.basic || id < basicObjects);
  const from = Math.max(0, ids.indexOf(objectId));
  const shown: [number, Uint8Array][] = [];
  let length = headerBytes;
  for (const id of ids.slice(from)) {
    const object = objects.get(id) ?? new Uint8Array();
    length += 2 + object.length;
    if (length > maxPduBytes) return answerWith(readCode, shown, id);
    shown.push([id, object]);
  }
  return answerWith(readCode, shown, 0);
}

/** `next`: the first that had no room; 0 where that is none. */
function answerWith(readCode: number, objects: readonly (readonly [number, Uint8Array])[], next: number): Uint8Array {
  const head = [functionCodes.encapsulatedInterface, deviceIdentification, readCode, conformityLevel];
  const parts = objects.flatMap(([id, bytes]) => [id, bytes.length, ...bytes]);
  return Uint8Array.of(...head, next === 0 ? 0 : 0xff, next, objects.length, ...parts);
}

function objectsOf(identity: DeviceIdentity): Map<number, Uint8Array> {
  const all = objectNames.map((name, id) => [id, Buffer.from(identity[name], 'latin1')] as const);
  return new Map(all.filter(([id, bytes]) => id < basicObjects || bytes.length > 0));
}
