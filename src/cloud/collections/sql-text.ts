/** SQL that is put together of fixed fragments; every value that comes from outside is a numbered parameter. */

type ParameterType =
  | 'text'
  | 'text[]'
  | 'uuid'
  | 'uuid[]'
  | 'jsonb'
  | 'jsonb[]'
  | 'numeric'
  | 'timestamptz'
  | 'timestamptz[]'
  | 'int'
  | 'int[]'
  | 'bigint'

export class Parameters {
  readonly values: unknown[] = []

  /** Returns the place of the value in the statement, such as `$3::text`. */
  add(value: unknown, type: ParameterType): string {
    this.values.push(value)
    return `$${this.values.length}::${type}`
  }
}
