// The overview of the demonstration plant: water from the left to the right, grey where nothing is wrong.
import { flowArrow, label, pipe, sized, symbols, title, trend, value } from './draw.ts';

const valveStates = '0:moving 1:closed 2:open 3:fault';

/** One of three, at its height between suction and discharge. */
const pump = (number: number, y: number) => `
<g data-tt-opens="picture:pump?unit=pump${number}">
<title>Pump ${number}</title>
${pipe(`M690 ${y}H758`)}${pipe(`M826 ${y}H990`)}
<use href="#pump" x="750" y="${y - 40}" width="84" height="84"
  data-tt-parameters="point=pump${number}_running&amp;states=0:off 1:on"/>
<text x="856" y="${y - 16}" font-size="28" fill="#101010" class="tt-value" data-tt-point="pump${number}_speed"
  data-tt-text="value unit precision=0">0 %</text>
<text x="856" y="${y + 28}" font-size="18" fill="#505050" class="tt-label">P${number}
<tspan fill="#101010" class="tt-value" data-tt-point="pump${number}_state" data-tt-text="value">stopped</tspan></text>
<text x="792" y="${y - 50}" font-size="18" fill="#505050" class="tt-label" text-anchor="middle" data-tt-point="pump${number}_auto"
  data-tt-words="0:MAN 1:AUTO">AUTO</text>
<g data-tt-point="pump${number}_tripped" data-tt-visible="1">
<rect x="856" y="${y + 38}" width="86" height="26" rx="3" fill="#f0f0f0" stroke="#404040" stroke-width="2" class="tt-equipment"
  data-tt-state="1:fault"/>
<text x="899" y="${y + 57}" font-size="17" fill="#101010" class="tt-value" text-anchor="middle">TRIPPED</text>
</g>
</g>`;

const intake = `
${title(40, 150, 'Intake')}
${pipe('M20 250H505V330')}
${flowArrow(60, 250)}${flowArrow(330, 250)}
${sized('control-valve', 180, 194, 84, 'point=inlet_valve_position&amp;states=0..2:closed *:open')}
${value(196, 290, 'inlet_valve_position', '', 'precision=0')}
${value(40, 350, 'inlet_flow', 'Flow', 'precision=0')}
${value(220, 350, 'inlet_temperature', 'Temperature', 'precision=1')}
${value(40, 440, 'inlet_turbidity', 'Turbidity', 'precision=2')}
${value(220, 440, 'inlet_total', 'Total', 'precision=0')}`;

const tank1 = `
${title(420, 150, 'Tank 1')}
<g data-tt-opens="trend:tanks">
<title>Tank 1</title>
${sized('tank', 420, 320, 190, 'point=tank1_level', 285)}
<text x="515" y="470" font-size="36" fill="#101010" class="tt-value" text-anchor="middle" data-tt-point="tank1_level"
  data-tt-text="value unit precision=2">0.00 m</text>
</g>
${label(440, 194, 'Setpoint')}
<text x="530" y="194" font-size="18" fill="#101010" class="tt-value" data-tt-point="tank1_level_setpoint"
  data-tt-text="value unit precision=1">0.0 m</text>
${pipe('M515 598V662')}
${sized('valve', 483, 632, 64, `point=tank1_drain_valve_state&amp;states=${valveStates}`)}
${pipe('M515 666V712')}
${label(560, 670, 'Drain')}`;

const pumps = `
${title(750, 150, 'Pumps')}
${pipe('M604 560H690')}
${pipe('M690 300V620')}
${pipe('M990 620V210H1265V270')}
${pump(1, 300)}
${pump(2, 460)}
${pump(3, 620)}
${flowArrow(990, 254, -90)}${flowArrow(1110, 210)}
${value(1008, 262, 'main_pressure', 'Pressure', 'precision=2')}
${value(1008, 340, 'main_flow', 'Flow', 'precision=0')}`;

const tank2 = `
${title(1170, 150, 'Tank 2')}
<g data-tt-opens="trend:tanks">
<title>Tank 2</title>
${sized('tank', 1190, 262, 150, 'point=tank2_level', 225)}
<text x="1265" y="386" font-size="34" fill="#101010" class="tt-value" text-anchor="middle" data-tt-point="tank2_level"
  data-tt-text="value unit precision=2">0.00 m</text>
</g>
${label(1362, 280, 'Setpoint')}
<text x="1362" y="306" font-size="18" fill="#101010" class="tt-value" data-tt-point="tank2_level_setpoint"
  data-tt-text="value unit precision=1">0.0 m</text>
${pipe('M1265 480V620H1580')}
<g transform="rotate(90 1265 548)">
${sized('valve', 1233, 516, 64, `point=tank2_outlet_valve_state&amp;states=${valveStates}`)}
</g>
${label(1310, 555, 'Outlet')}
${flowArrow(1360, 620)}${flowArrow(1550, 620)}`;

const network = `
${title(1440, 150, 'Town')}
${value(1440, 372, 'network_pressure', 'Pressure', 'precision=2')}
${value(1440, 450, 'network_flow', 'Flow', 'precision=0')}
${value(1440, 528, 'network_demand', 'Demand', 'precision=0')}`;

const dosing = `
${title(660, 752, 'Dosing')}
<g data-tt-opens="trend:chlorine">
<title>Chlorine</title>
${sized('tank', 660, 772, 70, 'point=dosing_tank_level', 105)}
<text x="695" y="834" font-size="20" fill="#101010" class="tt-value" text-anchor="middle" data-tt-point="dosing_tank_level"
  data-tt-text="value unit precision=0">0 %</text>
${pipe('M726 833H797', 'stroke-dasharray="10 6"')}
${pipe('M853 833H990V620', 'stroke-dasharray="10 6"')}
${sized('pump', 790, 800, 70, 'point=dosing_running&amp;states=0:off 1:on')}
${value(880, 772, 'dosing_rate', '', 'precision=0')}
</g>
${title(1030, 752, 'Treated water')}
${value(1030, 786, 'chlorine_residual', 'Free chlorine', 'precision=2')}
${value(1205, 786, 'treated_ph', 'pH', 'precision=2')}
${value(1350, 786, 'treated_turbidity', 'Turbidity', 'precision=2')}`;

const history = `
${title(40, 752, 'Tanks, last hour')}
${label(40, 796, 'Tank 1')}
${trend(120, 770, 460, 50, 'tank1_level')}
${label(40, 856, 'Tank 2')}
${trend(120, 830, 460, 50, 'tank2_level')}`;

export const overviewPicture = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 1600 900" font-family="sans-serif">
<title>Waterworks</title>
<defs>
${symbols(['pump', 'valve', 'control-valve', 'tank', 'flow'])}
</defs>
<text x="40" y="70" font-size="40" fill="#202020" class="tt-title">Waterworks</text>
${value(1410, 30, 'site_power', 'Electrical power', 'precision=0')}
<g data-tt-point="waterworks_link" data-tt-visible="0">
<rect x="600" y="36" width="400" height="48" rx="4" fill="#f0f0f0" stroke="#404040" stroke-width="2" class="tt-equipment"
  data-tt-state="0:fault"/>
<text x="800" y="68" font-size="24" fill="#101010" class="tt-value" text-anchor="middle">The link to the plant is lost</text>
</g>
<path d="M40 104H1560" fill="none" stroke="#909090" stroke-width="1" class="tt-line"/>
${intake}
${tank1}
${pumps}
${tank2}
${network}
<path d="M40 722H440M560 722H960M1020 722H1560" fill="none" stroke="#909090" stroke-width="1" class="tt-line"/>
${history}
${dosing}
</svg>
`;
