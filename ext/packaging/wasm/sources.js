// How each language installs and loads the extension.
import {$, on, tell} from './common.js';

export function listenToSources() {
  const show = () => {
    const {install, load} = $('language').selectedOptions[0].dataset;
    tell('install', install);
    tell('load', load);
  };
  on('language', 'change', show);
  show();
}
