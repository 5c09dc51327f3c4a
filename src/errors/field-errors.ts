/** All problems of one payload, by field name; what belongs to no field stands under `base`. */
export class FieldErrors extends Error {
  private readonly messages = new Map<string, string[]>();

  static of(field: string, message: string): FieldErrors {
    return new FieldErrors().add(field, message);
  }

  add(field: string, message: string): this {
    const known = this.messages.get(field);
    if (known) known.push(message);
    else this.messages.set(field, [message]);
    return this;
  }

  /** Throws itself when anything was collected. */
  throwIfAny(): void {
    if (this.messages.size > 0) throw this;
  }

  entries(): [string, readonly string[]][] {
    return [...this.messages];
  }
}
