/** Why a value is refused: a lower-case predicate that reads after the field's name. */
export class Invalid {
  constructor(readonly message: string) {}
}
