// What the sections of the page share: elements, numbers, and the workers.

export const $ = (id) => document.getElementById(id);

/** Listens to an event of an element, which may be given by its id. */
export const on = (target, event, listener) =>
  ($(target) ?? target).addEventListener(event, listener);

/** Makes an element with this class, and these texts or elements in it. */
export function element(tag, className, ...content) {
  const made = document.createElement(tag);
  made.className = className;
  made.append(...content);
  return made;
}

export const count = (n) => n.toLocaleString('en');
export const counted = (n, thing) => `${count(n)} ${thing}${n === 1 ? '' : 's'}`;

/** A share as percent, with as many digits as are significant. */
export function percent(share) {
  const digits = share >= 0.1 ? 1 : share >= 0.001 ? 2 : 4;
  return `${(100 * share).toFixed(share === 0 || share === 1 ? 0 : digits)}\xa0%`;
}

/** The first 20 bytes in hexadecimal; '…' stands for the others. */
export const hexOf = (bytes, between) => [...bytes.subarray(0, 20)].map((byte) =>
  byte.toString(16).padStart(2, '0')).join(between) +
  (bytes.length > 20 ? ' …' : '');

/** Shows a text in the element with this id; hides it if the text is empty. */
export function tell(id, text) {
  $(id).textContent = text;
  $(id).hidden = text === '';
}

/** Hides a button; if it has the focus, another one gets it. */
export function hideButton(id, other) {
  if (document.activeElement === $(id)) $(other).focus();
  $(id).hidden = true;
}

/** SQLite in a worker, which starts at the first request. */
export class Engine {
  #worker = null;
  #asked = new Map();
  #last = 0;

  /** Sends a request to worker.js; onPart gets what comes before the answer. */
  ask(what, argument, onPart) {
    this.#worker ??= this.#start();
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#asked.set(id, {resolve, reject, onPart});
      this.#worker.postMessage({id, what, argument});
    });
  }

  #start() {
    const worker = new Worker(new URL('worker.js', import.meta.url),
      {type: 'module'});
    worker.onmessage = ({data: {id, part, result, error, ended}}) => {
      if (ended) {
        return this.stop(`SQLite has ended (${error}), and its database is gone`);
      }
      const {resolve, reject, onPart} = this.#asked.get(id);
      if (part !== undefined) return onPart?.(part);
      this.#asked.delete(id);
      if (error === undefined) resolve(result);
      else reject(new Error(error));
    };
    worker.onerror = () => this.stop('a file of this page does not load');
    return worker;
  }

  /** Ends the requests that run, if any: they fail with this reason. */
  stop(reason) {
    if (this.#asked.size === 0) return;
    this.#worker.terminate();
    this.#worker = null;
    for (const {reject} of this.#asked.values()) reject(new Error(reason));
    this.#asked.clear();
  }
}
