// Holds the level of tank 1 by the inlet valve: a PID controller that starts without a bump and does not wind up.
import { module } from '@telltale/client/module';

const gain = 40; // % of the valve a metre
const resetS = 60; // so long until the integral part has done what the proportional part did at once
const rateS = 2; // so far ahead the derivative part looks; of the level alone, so that a new setpoint is no kick
const [lowest, highest] = [0, 100]; // %

let integral: number | undefined;
let lastLevel: number | undefined;

await module(process.env, {
  measurements: ['tank1_level', 'inlet_valve_position'],
  commands: ['tank1_level_setpoint', 'inlet_valve_auto', 'inlet_valve_setpoint'],
  cycleMs: 500,

  cycle(plant) {
    const level = plant.measurement('tank1_level');
    const setpoint = plant.command('tank1_level_setpoint');
    const position = plant.measurement('inlet_valve_position');
    if (level.number === undefined || setpoint.number === undefined || position.number === undefined) {
      [integral, lastLevel] = [undefined, undefined]; // begin again from where the valve is then
      plant.status = `the valve stays where it is: ${[level, setpoint, position].find((each) => !each.isGood)}`;
      return;
    }
    const error = setpoint.number - level.number;
    const rate = plant.elapsedS > 0 ? (level.number - (lastLevel ?? level.number)) / plant.elapsedS : 0;
    lastLevel = level.number;
    integral ??= position.number - gain * error;
    const wanted = integral + gain * (error - rateS * rate);
    const output = Math.min(highest, Math.max(lowest, wanted));
    if (output === wanted || Math.sign(wanted - output) !== Math.sign(error)) {
      integral += (gain * error * plant.elapsedS) / resetS;
    }
    if (plant.command('inlet_valve_auto').boolean !== false) plant.write('inlet_valve_auto', false);
    plant.write('inlet_valve_setpoint', output);
    plant.status = `level ${level.number.toFixed(2)} m, valve ${output.toFixed(1)} %, ${plant.overruns} overruns`;
  },

  onStop(plant) {
    plant.write('inlet_valve_auto', true); // the plant's own controller takes over
  },
});
