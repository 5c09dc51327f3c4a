/** Takes note of a fault in an entry of an object of the definition; `message` reads after the entry's path. */
export type Report = (holder: object, key: string | number, message: string) => void;
