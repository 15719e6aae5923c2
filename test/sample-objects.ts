// For each family the smallest object that fits, and one with every field.
import type { Family } from '@telltale/schema';

export type Sample = Record<string, unknown> & { name: string };

/** The required fields of the document and nothing else. */
export function smallest(family: Family, name: string): Sample {
  switch (family) {
    case 'alarms':
      return { name, severity: 0 };
    case 'commands':
    case 'measurements':
      return { name, datatype: 'd' };
    case 'connectors':
    case 'providers':
      return { name };
    case 'function-modules':
      return { name, termToKill: 1000, queryTimeout: 5000 };
    case 'pictures':
      return { name, svg: '<svg xmlns="http://www.w3.org/2000/svg"/>' };
    case 'trends':
      return { name, pens: [] };
  }
}

const map = { key: 'value', another: '' };

function communicationFields(name: string): Sample {
  return {
    name,
    address: 'holding(40001)',
    description: 'Füllstand ∆ "tank" \n 1',
    datatype: 'f',
    rawDatatype: 'i',
    connectorName: 'plc',
    rawRangeLo: '0',
    rawRangeHi: '27648',
    euRangeLo: '-0.5',
    euRangeHi: '80.5',
    providerAddresses: { scada: '1.2.3', 'not an identifier / ~': '' },
    archMode: 'change',
    archPeriod: 60000,
    archValueDeadband: '0.5',
    archTimeDeadband: 0,
    leader: 'flow',
    stackUmask: 63,
    eu: 'm³/h',
    area: 'works.dosing.line2',
    enabled: false,
    properties: map,
  };
}

/** Every field, each with a value that tells it from the others. */
export function fullest(family: Family, name: string): Sample {
  switch (family) {
    case 'alarms':
      return {
        name,
        description: 'too high',
        severity: Number.MAX_SAFE_INTEGER,
        archMode: 'none',
        ackMode: 'auto',
        enabled: true,
        trgMeasurement: 'level',
        trgOperator: 'ge',
        trgRefValue: '80.5',
        trgHysteresis: '1',
        groupName: 'tanks',
        connectorName: 'plc',
        address: 'condition(4)',
        area: 'works.tanks',
        properties: map,
      };
    case 'commands':
      return { ...communicationFields(name), initialValue: '20' };
    case 'measurements':
      return { ...communicationFields(name), deadband: '1%' };
    case 'connectors':
    case 'providers':
      return { name, stackName: 'simulator', wdtMeasurement: 'link', vars: map, properties: {} };
    case 'function-modules':
      return {
        name,
        description: 'a loop',
        executable: 'bin/loop.py',
        debug: true,
        respawn: false,
        enabled: true,
        termToKill: 1,
        queryTimeout: 2,
        runMode: 'service',
        properties: map,
        env: { PATH: '/bin', LANG: 'C' },
      };
    case 'pictures':
      return {
        name,
        description: 'Pump {unit}',
        svg: '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 10 10">\n<rect width="5" height="5" data-tt-point="{unit}_level"/>\n</svg>',
        parameters: { unit: 'pump1' },
        area: 'works.pumps',
        properties: map,
      };
    case 'trends':
      return {
        name,
        description: 'Tanks',
        pens: [
          { kind: 'measurements', name: 'level', axis: 'm', colour: 2, style: 'step', visible: false },
          { kind: 'alarms', name: 'high' },
        ],
        axes: [{ name: 'm', title: 'Level', lo: -0.5, hi: 8 }],
        span: 3600,
        area: 'works.tanks',
        properties: map,
      };
  }
}
