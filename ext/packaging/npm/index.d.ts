/** The file to give to a connection's loadExtension. */
export function getLoadablePath(): string;

/** Loads the extension into a connection. An error says what to write instead of a
 * db that is none, or that may not load extensions. */
export function load(db: {loadExtension(file: string): void}): void;
