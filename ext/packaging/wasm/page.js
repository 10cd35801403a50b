// Starts the sections of the page once SQLite is loaded.
import {tell} from './common.js';
import {filters, listenToFilter} from './filter.js';
import {listenToJoins} from './gain.js';
import {listenToSql} from './sql.js';

tell('status', 'Loading SQLite…');
try {
  tell('version', await filters.ask('version'));
  for (const disabled of document.querySelectorAll(':disabled')) {
    disabled.disabled = false;
  }
  tell('status', '');
  listenToJoins();
  listenToSql();
  await listenToFilter();
} catch (error) {
  tell('status', `SQLite cannot be loaded (${error.message}): see that the server ` +
    'has every file of this page, and reload it.');
}
