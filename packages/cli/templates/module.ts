// A function module: the service runs it, watches it, and shows its status. `telltale module upload` packs it with
// everything that it imports. The names are those of the demo plant: put your own.
import { module } from '@telltale/client/module';

await module(process.env, {
  // What it reads, and what it writes. Commands that it writes stand in properties.writes of the module as well.
  measurements: ['tank1_level'],
  commands: ['gate_panel_text'],
  cycleMs: 1000,

  // Called every second, with the values of that moment. What it throws ends the module; it is then started again.
  cycle(plant) {
    const level = plant.measurement('tank1_level');
    if (level.number === undefined) {
      plant.status = String(level); // bad, or the link is lost: nothing to calculate with
      return;
    }
    const text = `Tank 1: ${level.number.toFixed(1)} m`;
    if (plant.command('gate_panel_text').text !== text) plant.write('gate_panel_text', text);
    plant.status = text;
  },

  // Called once when it is told to stop: leave the plant so that it is safe without the module.
  onStop(plant) {
    plant.write('gate_panel_text', '');
  },
});
