// Where the sources are, and how each language installs and loads the extension.
import {$, count, on, tell} from './common.js';
import {archive, functions, installs} from './recipes.js';

export function listenToSources() {
  $('archive').href = archive.name;
  tell('archive', `${archive.name}, ${count(archive.bytes)} bytes`);
  tell('functions', functions.join(', '));
  $('language').append(...installs.map(({name}) => new Option(name)));
  const show = () => {
    const {install, load} = installs[$('language').selectedIndex];
    tell('install', install);
    tell('load', load);
  };
  on('language', 'change', show);
  show();
}
