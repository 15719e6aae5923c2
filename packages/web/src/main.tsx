// The page starts here: session, words and theme first, then the frame around the views.
import { render } from 'preact';
import './look/page.css';
import { startBase } from './base.ts';
import { startAlarms } from './data/alarms.ts';
import { startOverview } from './data/overview.ts';
import { startSession } from './data/session.ts';
import { startSite } from './data/sites.ts';
import { startKeys } from './parts/keys.ts';
import { Shell } from './parts/shell/shell.tsx';
import { startRouter } from './router.ts';
import { startSettings } from './settings.ts';
import { loadWords } from './words/words.ts';

startSettings();
startBase();
startRouter();
startKeys();
startSession();
startSite();
startOverview();
startAlarms();
// No await of a module: what a language or a view brings may need this one, and would wait for it.
void loadWords().then(() => {
  const root = document.createElement('div');
  document.body.append(root);
  render(<Shell />, root);
});
