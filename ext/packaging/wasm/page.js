import {$, tell} from './common.js';
import {filters, listenToFilter} from './filter.js';
import {listenToJoins} from './gain.js';
import {listenToSql} from './sql.js';

try {
  $('version').textContent = await filters.ask('version');
  $('functions').textContent = (await filters.ask('functions')).join(', ');
  listenToJoins();
  listenToSql();
  for (const disabled of document.querySelectorAll(':disabled')) {
    disabled.disabled = false;
  }
  tell('status', '');
  await listenToFilter();
} catch (error) {
  $('status').className = 'error';
  tell('status', `SQLite cannot be loaded: ${error.message}`);
}
