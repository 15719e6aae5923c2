// The declaration of the SNMP stack: agents that are read and set, their traps, and an agent that serves the points.
import { checkScanPeriod, defineStack } from '@telltale/stack-kit';
import { checkAddress, commandRegex, measurementRegex } from './address.ts';
import { knownNames } from './object-names.ts';
import { checkServedAddress, servedRegex } from './served-address.ts';
import { checkConnector, checkProvider, connectorVariables, providerVariables } from './variables.ts';

const objectDoc =
  'An object identifier as numbers, such as `1.3.6.1.2.1.1.3.0`, or a known name with its instance, such as ' +
  '`sysUpTime.0` or `ifInOctets.3` (`IF-MIB::ifInOctets.3` is the same). If the connector has several agents, prefix it ' +
  'with the name of the agent and a slash.';

const servedDoc =
  'Numbers below the base of the provider: the value of `7.1` is at base`.1.7.1`, its quality at base`.2.7.1`, its time ' +
  'at base`.3.7.1`, its name at base`.4.7.1`. Addresses that differ in their last number are rows of a table. A ' +
  'suffix overrides the type of the datatype: `:integer`, `:unsigned`, `:counter32`, `:counter64`, ' +
  '`:timeticks`, `:text`, `:float`, `:double`, `:truth`.';

export default defineStack({
  name: 'snmp',
  title: 'SNMP',
  description:
    'Reads and sets objects of SNMP agents, versions 1, 2c and 3, receives their traps and informs, and serves points as ' +
    'an agent that sends alarms as traps.',
  connector: {
    load: () => import('./connector.ts'),
    variables: connectorVariables,
    check: checkConnector,
    measurement: {
      regex: measurementRegex,
      doc:
        `${objectDoc} The suffix \`:hex\` reads bytes as \`00:1a:2b\`, \`:text\` always as text, ` +
        '`:truth` reads 1 as true and 2 as false (TruthValue). The prefix `trap:` selects the value of the object in ' +
        'traps or, with the identifier of a trap, the number of such traps (datatypes i, l, f, d) or the contents of the ' +
        'last one (s). The property `scanPeriod` is the period of this measurement in milliseconds. ' +
        `Known names: ${knownNames().join(', ')}.`,
      examples: [
        { address: 'sysUpTime.0', meaning: 'hundredths of a second since the agent started' },
        { address: '1.3.6.1.2.1.1.3.0', meaning: 'the same by its number' },
        { address: 'switch2/ifHCInOctets.3', meaning: 'octets that came in at the third interface of switch2' },
        { address: 'laLoad.1', meaning: 'a number as text, read as a number for datatypes f and d' },
        { address: 'ifPhysAddress.2:hex', meaning: 'an address of 6 bytes, as text in hexadecimal' },
        { address: '1.3.6.1.4.1.99999.1.4.0:truth', meaning: '1 is true, 2 is false' },
        { address: 'trap:ifOperStatus.3', meaning: 'the state of the third interface in the last trap' },
        { address: 'trap:switch2/linkDown', meaning: 'how many such traps have come from switch2' },
      ],
      check: (address, point) => checkAddress('measurement', address, point) ?? checkScanPeriod(point),
    },
    command: {
      regex: commandRegex,
      doc:
        `${objectDoc} A suffix is the type to set it with: \`:integer\`, \`:unsigned\` (Gauge32), \`:counter32\`, ` +
        '`:counter64`, `:timeticks`, `:text`, `:hex` (bytes such as `00:1a:2b`), `:ip`, `:oid`, `:float` and `:double` ' +
        '(in an Opaque), `:truth` (true is 1, false is 2). Without it b, q and i are set as INTEGER, s as text; l, f and ' +
        'd require a suffix.',
      examples: [
        { address: '1.3.6.1.4.1.99999.2.1.0', meaning: 'an INTEGER, of datatype b, q or i' },
        { address: 'sysLocation.0', meaning: 'a text, of datatype s' },
        { address: 'pdu1/1.3.6.1.4.1.99999.2.2.0:unsigned', meaning: 'a Gauge32 of the agent pdu1' },
        { address: '1.3.6.1.4.1.99999.2.3.0:text', meaning: 'a number as text, of datatype f or d' },
      ],
      check: (address, point) => checkAddress('command', address, point),
    },
  },
  provider: {
    load: () => import('./provider.ts'),
    variables: providerVariables,
    check: checkProvider,
    measurement: {
      regex: servedRegex,
      doc: servedDoc,
      examples: [
        { address: '1.0', meaning: 'a scalar' },
        { address: '7.1', meaning: 'the first row of column 7' },
        { address: '8.1:counter32', meaning: 'as a Counter32, which wraps to 0 above 4294967295' },
      ],
      check: checkServedAddress,
    },
    command: {
      regex: servedRegex,
      doc: `${servedDoc} A client that sets the value writes the command.`,
      examples: [
        { address: '20.0', meaning: 'a scalar command' },
        { address: '21.3:truth', meaning: 'a command of datatype b that is set with 1 for true and 2 for false' },
      ],
      check: checkServedAddress,
    },
  },
});
