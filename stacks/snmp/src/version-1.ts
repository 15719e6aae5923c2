// What version 1 does otherwise than version 2c, so that the rest need not know it (RFC 1157, RFC 3584): it has no GETBULK,
// no exceptions in place of values, fewer errors, no Counter64, and a trap of another form.
import { type BerReader, element, integerContent, Malformed, oidContent, oidOf, tag, unsignedOf } from './ber.ts';
import { decodeVarbinds, encodeVarbinds, errorStatus, type Pdu, pduType, type Question, type Varbind } from './pdu.ts';

export const sysUpTime = '1.3.6.1.2.1.1.3.0';
export const snmpTrapOid = '1.3.6.1.6.3.1.1.4.1.0';
/** Of the agent that a trap comes from, where another has passed it on. */
export const snmpTrapAddress = '1.3.6.1.6.3.18.1.3.0';
const snmpTrapEnterprise = '1.3.6.1.6.3.1.1.4.3.0';
const standardTraps = '1.3.6.1.6.3.1.1.5';
/** Of generic-trap: those below are of the standard. */
const enterpriseSpecific = 6;

/** GETBULK as the GETNEXT that version 1 has. */
export function questionOfVersion1(question: Question): Question {
  if (question.type !== pduType.getBulk) return question;
  return { type: pduType.getNext, varbinds: question.varbinds };
}

/** An answer with the exception that version 2c has where a walk ends. Of a GET it is not known whether the others are there. */
export function answerOfVersion1(question: Question, pdu: Pdu): Pdu {
  const isWalk = question.type === pduType.getNext || question.type === pduType.getBulk;
  if (!isWalk || pdu.errorStatus !== errorStatus.noSuchName || pdu.varbinds.length !== 1) return pdu;
  const varbinds = pdu.varbinds.map(({ oid }) => ({ oid, tag: tag.endOfMibView, content: Buffer.alloc(0) }));
  return { ...pdu, errorStatus: errorStatus.noError, errorIndex: 0, varbinds };
}

const { badValue, noSuchName, genErr } = errorStatus;
const statuses = new Map<number, number>([
  [errorStatus.wrongValue, badValue],
  [errorStatus.wrongEncoding, badValue],
  [errorStatus.wrongType, badValue],
  [errorStatus.wrongLength, badValue],
  [errorStatus.inconsistentValue, badValue],
  [errorStatus.noAccess, noSuchName],
  [errorStatus.notWritable, noSuchName],
  [errorStatus.noCreation, noSuchName],
  [errorStatus.inconsistentName, noSuchName],
  [errorStatus.authorizationError, noSuchName],
  [errorStatus.resourceUnavailable, genErr],
  [errorStatus.commitFailed, genErr],
  [errorStatus.undoFailed, genErr],
]);

/** An error as version 1 can say it. */
export function statusOfVersion1(status: number): number {
  return statuses.get(status) ?? status;
}

/** Whether version 1 has such a value. */
export function isOfVersion1({ tag: valueTag }: Varbind): boolean {
  return valueTag !== tag.counter64 && valueTag < tag.noSuchObject;
}

/** A trap as version 2c has it. */
export function decodeTrapV1(reader: BerReader): Pdu {
  const enterprise = reader.oid();
  const agentAddress = reader.content(tag.ip);
  if (agentAddress.length !== 4) throw new Malformed(`an IpAddress of ${agentAddress.length} bytes`);
  const generic = reader.integer();
  const specific = reader.integer();
  const timeTicks = reader.content(tag.timeTicks);
  unsignedOf(timeTicks, 4);
  const varbinds = decodeVarbinds(pduType.trap, reader);
  const isSpecific = generic === enterpriseSpecific;
  if (generic < 0 || generic > enterpriseSpecific || specific < 0) throw new Malformed('a trap that is none');
  const trap = isSpecific ? `${enterprise}.0.${specific}` : `${standardTraps}.${generic + 1}`;
  const added = [
    { oid: snmpTrapAddress, tag: tag.ip, content: agentAddress },
    { oid: snmpTrapEnterprise, tag: tag.oid, content: oidContent(enterprise) },
  ];
  return {
    type: pduType.trap,
    requestId: 0,
    errorStatus: 0,
    errorIndex: 0,
    varbinds: [
      { oid: sysUpTime, tag: tag.timeTicks, content: timeTicks },
      { oid: snmpTrapOid, tag: tag.oid, content: oidContent(trap) },
      ...varbinds,
      ...added.filter(({ oid }) => !varbinds.some((each) => each.oid === oid)),
    ],
  };
}

/** A trap of version 2c, which begins with its time and its name, as version 1 has it. */
export function encodeTrapV1(varbinds: readonly Varbind[], agentAddress: Buffer): Buffer {
  const [upTime, trap, ...others] = varbinds;
  const name = oidOf(trap?.content ?? Buffer.alloc(0));
  const parent = name.slice(0, name.lastIndexOf('.'));
  const last = Number(name.slice(parent.length + 1));
  const isStandard = parent === standardTraps;
  // A zero before the last number is there for version 2c alone.
  const enterprise = isStandard ? enterpriseOf(others) : parent.replace(/\.0$/, '');
  return element(
    pduType.trapV1,
    element(tag.oid, oidContent(enterprise)),
    element(tag.ip, agentAddress),
    element(tag.integer, integerContent(isStandard ? last - 1 : enterpriseSpecific)),
    element(tag.integer, integerContent(isStandard ? 0 : last)),
    element(tag.timeTicks, upTime?.content ?? integerContent(0)),
    element(tag.sequence, encodeVarbinds(others.filter(isOfVersion1).filter(({ oid }) => oid !== snmpTrapEnterprise))),
  );
}

function enterpriseOf(varbinds: readonly Varbind[]): string {
  const found = varbinds.find(({ oid, tag: valueTag }) => oid === snmpTrapEnterprise && valueTag === tag.oid);
  return found === undefined ? standardTraps : oidOf(found.content);
}
