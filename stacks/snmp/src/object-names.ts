// The names of objects that are met most: of the system, its interfaces, load and memory, sensors and uninterruptible
// power supplies. A name stands for the number of its column or scalar; the instance follows it.

const names: ReadonlyMap<string, string> = new Map([
  // SNMPv2-MIB
  ...under('1.3.6.1.2.1.1', {
    sysDescr: 1,
    sysObjectID: 2,
    sysUpTime: 3,
    sysContact: 4,
    sysName: 5,
    sysLocation: 6,
    sysServices: 7,
  }),
  ...under('1.3.6.1.6.3.1.1.5', {
    coldStart: 1,
    warmStart: 2,
    linkDown: 3,
    linkUp: 4,
    authenticationFailure: 5,
  }),
  // IF-MIB
  ...under('1.3.6.1.2.1.2', { ifNumber: 1 }),
  ...under('1.3.6.1.2.1.2.2.1', {
    ifIndex: 1,
    ifDescr: 2,
    ifType: 3,
    ifMtu: 4,
    ifSpeed: 5,
    ifPhysAddress: 6,
    ifAdminStatus: 7,
    ifOperStatus: 8,
    ifLastChange: 9,
    ifInOctets: 10,
    ifInUcastPkts: 11,
    ifInDiscards: 13,
    ifInErrors: 14,
    ifOutOctets: 16,
    ifOutUcastPkts: 17,
    ifOutDiscards: 19,
    ifOutErrors: 20,
  }),
  ...under('1.3.6.1.2.1.31.1.1.1', {
    ifName: 1,
    ifHCInOctets: 6,
    ifHCInUcastPkts: 7,
    ifHCOutOctets: 10,
    ifHCOutUcastPkts: 11,
    ifHighSpeed: 15,
    ifAlias: 18,
  }),
  // HOST-RESOURCES-MIB
  ...under('1.3.6.1.2.1.25.1', { hrSystemUptime: 1, hrSystemNumUsers: 5, hrSystemProcesses: 6 }),
  ...under('1.3.6.1.2.1.25.2', { hrMemorySize: 2 }),
  ...under('1.3.6.1.2.1.25.2.3.1', {
    hrStorageDescr: 3,
    hrStorageAllocationUnits: 4,
    hrStorageSize: 5,
    hrStorageUsed: 6,
  }),
  ...under('1.3.6.1.2.1.25.3.3.1', { hrProcessorLoad: 2 }),
  // UCD-SNMP-MIB
  ...under('1.3.6.1.4.1.2021.4', { memTotalReal: 5, memAvailReal: 6, memTotalFree: 11 }),
  ...under('1.3.6.1.4.1.2021.10.1', { laLoad: 3, laLoadInt: 5, laLoadFloat: 6 }),
  // ENTITY-SENSOR-MIB
  ...under('1.3.6.1.2.1.99.1.1.1', {
    entPhySensorType: 1,
    entPhySensorScale: 2,
    entPhySensorPrecision: 3,
    entPhySensorValue: 4,
    entPhySensorOperStatus: 5,
  }),
  // UPS-MIB
  ...under('1.3.6.1.2.1.33.1.2', {
    upsBatteryStatus: 1,
    upsSecondsOnBattery: 2,
    upsEstimatedMinutesRemaining: 3,
    upsEstimatedChargeRemaining: 4,
    upsBatteryVoltage: 5,
    upsBatteryCurrent: 6,
    upsBatteryTemperature: 7,
  }),
  ...under('1.3.6.1.2.1.33.1.3.3.1', { upsInputFrequency: 2, upsInputVoltage: 3, upsInputCurrent: 4 }),
  ...under('1.3.6.1.2.1.33.1.4', { upsOutputSource: 1, upsOutputFrequency: 2 }),
  ...under('1.3.6.1.2.1.33.1.4.4.1', {
    upsOutputVoltage: 2,
    upsOutputCurrent: 3,
    upsOutputPower: 4,
    upsOutputPercentLoad: 5,
  }),
  ...under('1.3.6.1.2.1.33.1.6', { upsAlarmsPresent: 1 }),
  ...under('1.3.6.1.2.1.33.2', { upsTrapOnBattery: 1 }),
]);

const byOid: ReadonlyMap<string, string> = new Map([...names].map(([name, oid]) => [oid, name]));

export function oidOfName(name: string): string | undefined {
  return names.get(name);
}

/** `ifInOctets.3` where the table has it, else the number itself. */
export function nameOfOid(oid: string): string {
  for (let end = oid.length; end > 0; end = oid.lastIndexOf('.', end - 1)) {
    const name = byOid.get(oid.slice(0, end));
    if (name !== undefined) return name + oid.slice(end);
  }
  return oid;
}

/** In the order of the table, for the reference. */
export function knownNames(): string[] {
  return [...names.keys()];
}

function under(base: string, members: Readonly<Record<string, number>>): [string, string][] {
  return Object.entries(members).map(([name, arc]) => [name, `${base}.${arc}`]);
}
