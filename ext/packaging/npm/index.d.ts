/** The file to give to a connection's loadExtension. */
export function getLoadablePath(): string;

/** Loads the extension into a connection. */
export function load(db: {loadExtension(file: string): void}): void;
