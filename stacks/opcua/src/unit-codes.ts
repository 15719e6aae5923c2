// Engineering units as OPC UA has them: the common codes of UN/CEFACT (Recommendation 20) of the units that are usual in
// plants, by their symbols. Part 8 says how a code becomes a number. Pure.

export interface UnitInformation {
  readonly namespaceUri: string;
  /** -1 where the unit has no code. */
  readonly unitId: number;
  readonly displayName: string;
  readonly description: string;
}

export const cefactUri = 'http://www.opcfoundation.org/UA/units/un/cefact';
const ownUri = 'urn:telltale';

/** From code to name and symbols. */
const units: Readonly<Record<string, readonly [name: string, ...symbols: string[]]>> = {
  // Length, area, volume
  MTR: ['metre', 'm'],
  KMT: ['kilometre', 'km'],
  CMT: ['centimetre', 'cm'],
  MMT: ['millimetre', 'mm'],
  '4H': ['micrometre', 'µm', 'um'],
  INH: ['inch', 'in'],
  FOT: ['foot', 'ft'],
  MTK: ['square metre', 'm²'],
  CMK: ['square centimetre', 'cm²'],
  MMK: ['square millimetre', 'mm²'],
  MTQ: ['cubic metre', 'm³'],
  DMQ: ['cubic decimetre', 'dm³'],
  CMQ: ['cubic centimetre', 'cm³'],
  LTR: ['litre', 'l', 'L'],
  HLT: ['hectolitre', 'hl', 'hL'],
  MLT: ['millilitre', 'ml', 'mL'],
  // Time and frequency
  SEC: ['second [unit of time]', 's'],
  C26: ['millisecond', 'ms'],
  B98: ['microsecond', 'µs', 'us'],
  MIN: ['minute [unit of time]', 'min'],
  HUR: ['hour', 'h'],
  DAY: ['day', 'd'],
  HTZ: ['hertz', 'Hz'],
  KHZ: ['kilohertz', 'kHz'],
  MHZ: ['megahertz', 'MHz'],
  A86: ['gigahertz', 'GHz'],
  RPM: ['revolutions per minute', 'rpm', 'r/min', 'U/min'],
  C94: ['reciprocal minute', '1/min', 'min⁻¹'],
  C97: ['reciprocal second', '1/s', 's⁻¹'],
  // Flow and speed
  MQH: ['cubic metre per hour', 'm³/h'],
  MQS: ['cubic metre per second', 'm³/s'],
  G53: ['cubic metre per minute', 'm³/min'],
  G51: ['litre per second', 'l/s', 'L/s'],
  L2: ['litre per minute', 'l/min', 'L/min'],
  E32: ['litre per hour', 'l/h', 'L/h'],
  KGS: ['kilogram per second', 'kg/s'],
  F31: ['kilogram per minute', 'kg/min'],
  E93: ['kilogram per hour', 'kg/h'],
  F29: ['gram per second', 'g/s'],
  E18: ['tonne per hour', 't/h'],
  MTS: ['metre per second', 'm/s'],
  C16: ['millimetre per second', 'mm/s'],
  KMH: ['kilometre per hour', 'km/h'],
  MSK: ['metre per second squared', 'm/s²'],
  // Mass, force, pressure
  KGM: ['kilogram', 'kg'],
  GRM: ['gram', 'g'],
  MGM: ['milligram', 'mg'],
  TNE: ['tonne (metric ton)', 't'],
  NEW: ['newton', 'N'],
  B47: ['kilonewton', 'kN'],
  NU: ['newton metre', 'Nm', 'N·m'],
  PAL: ['pascal', 'Pa'],
  A97: ['hectopascal', 'hPa'],
  KPA: ['kilopascal', 'kPa'],
  MPA: ['megapascal', 'MPa'],
  BAR: ['bar [unit of pressure]', 'bar'],
  MBR: ['millibar', 'mbar'],
  PS: ['pound-force per square inch', 'psi'],
  ATM: ['standard atmosphere', 'atm'],
  // Temperature
  CEL: ['degree Celsius', '°C'],
  FAH: ['degree Fahrenheit', '°F'],
  KEL: ['kelvin', 'K'],
  // Energy and power
  JOU: ['joule', 'J'],
  KJO: ['kilojoule', 'kJ'],
  '3B': ['megajoule', 'MJ'],
  WHR: ['watt hour', 'Wh', 'W·h'],
  KWH: ['kilowatt hour', 'kWh', 'kW·h'],
  MWH: ['megawatt hour (1000 kW.h)', 'MWh', 'MW·h'],
  GWH: ['gigawatt hour', 'GWh', 'GW·h'],
  WTT: ['watt', 'W'],
  KWT: ['kilowatt', 'kW'],
  MAW: ['megawatt', 'MW'],
  D54: ['watt per square metre', 'W/m²'],
  // Electricity
  VLT: ['volt', 'V'],
  '2Z': ['millivolt', 'mV'],
  KVT: ['kilovolt', 'kV'],
  AMP: ['ampere', 'A'],
  '4K': ['milliampere', 'mA'],
  B22: ['kiloampere', 'kA'],
  B84: ['microampere', 'µA', 'uA'],
  AMH: ['ampere hour', 'Ah', 'A·h'],
  OHM: ['ohm', 'Ω', 'Ohm', 'ohm'],
  B49: ['kiloohm', 'kΩ', 'kOhm'],
  D46: ['volt - ampere', 'VA', 'V·A'],
  KVA: ['kilovolt - ampere', 'kVA', 'kV·A'],
  MVA: ['megavolt - ampere', 'MVA', 'MV·A'],
  D44: ['var', 'var'],
  KVR: ['kilovar', 'kvar', 'kVAr'],
  FAR: ['farad', 'F'],
  G42: ['microsiemens per centimetre', 'µS/cm', 'uS/cm'],
  H61: ['millisiemens per centimetre', 'mS/cm'],
  // Concentration, density, ratios
  P1: ['percent', '%'],
  '59': ['part per million', 'ppm'],
  '61': ['part per billion (US)', 'ppb'],
  M1: ['milligram per litre', 'mg/l', 'mg/L'],
  GL: ['gram per litre', 'g/l', 'g/L'],
  KMQ: ['kilogram per cubic metre', 'kg/m³'],
  A93: ['gram per cubic metre', 'g/m³'],
  GP: ['milligram per cubic metre', 'mg/m³'],
  GQ: ['microgram per cubic metre', 'µg/m³', 'ug/m³'],
  Q30: ['pH (potential of Hydrogen)', 'pH'],
  C62: ['one', '1'],
  // Angle, light, sound
  DD: ['degree [unit of angle]', '°'],
  C81: ['radian', 'rad'],
  LUX: ['lux', 'lx'],
  '2N': ['decibel', 'dB'],
};

/** Signs of the same looks are one: of micro, ohm and degrees Celsius there are several; m3 is m³. */
const spelled = (symbol: string) => symbol.trim().normalize('NFKC');

const codes: ReadonlyMap<string, string> = new Map(
  Object.entries(units).flatMap(([code, [, ...symbols]]) => symbols.map((symbol) => [spelled(symbol), code])),
);

/** The unit as it is configured; with its code and name where it is a known one. */
export function unitInformation(eu: string): UnitInformation {
  const code = codes.get(spelled(eu));
  return code === undefined
    ? { namespaceUri: ownUri, unitId: -1, displayName: eu, description: eu }
    : { namespaceUri: cefactUri, unitId: unitIdOf(code), displayName: eu, description: units[code]?.[0] ?? eu };
}

/** The bytes of the code, the first the most significant. */
function unitIdOf(code: string): number {
  return [...code].reduce((id, letter) => id * 256 + letter.charCodeAt(0), 0);
}
