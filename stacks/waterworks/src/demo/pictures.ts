// The process pictures and named trends of the demonstration plant.
import type { Picture, Trend } from '@telltale/schema';
import { overviewPicture } from './overview-picture.ts';
import { pumpPicture } from './pump-picture.ts';

export const pictures: readonly Picture[] = [
  { name: 'waterworks', description: 'Waterworks', svg: overviewPicture, area: 'works' },
  {
    name: 'pump',
    description: 'Pump ({unit})',
    svg: pumpPicture,
    parameters: { unit: 'pump1' },
    area: 'works.pumps',
  },
];

export const trends: readonly Trend[] = [
  {
    name: 'tanks',
    description: 'Levels and flows',
    pens: [
      { kind: 'measurements', name: 'tank1_level', axis: 'level' },
      { kind: 'measurements', name: 'tank2_level', axis: 'level' },
      { kind: 'measurements', name: 'inlet_flow', axis: 'flow' },
      { kind: 'measurements', name: 'main_flow', axis: 'flow' },
      { kind: 'measurements', name: 'network_flow', axis: 'flow' },
    ],
    axes: [
      { name: 'level', title: 'Level in m', lo: 0, hi: 8 },
      { name: 'flow', title: 'Flow in m³/h', lo: 0, hi: 400 },
    ],
    span: 8 * 3600,
    area: 'works',
  },
  {
    name: 'chlorine',
    description: 'Chlorine and its dosing',
    pens: [
      { kind: 'measurements', name: 'chlorine_residual', axis: 'chlorine' },
      { kind: 'commands', name: 'chlorine_setpoint', axis: 'chlorine', style: 'step' },
      { kind: 'measurements', name: 'dosing_rate', axis: 'share' },
      { kind: 'measurements', name: 'dosing_tank_level', axis: 'share', visible: false },
      { kind: 'alarms', name: 'chlorine_low' },
    ],
    axes: [
      { name: 'chlorine', title: 'Free chlorine in mg/L', lo: 0 },
      { name: 'share', title: '%', lo: 0, hi: 100 },
    ],
    span: 24 * 3600,
    area: 'works.dosing',
  },
];
