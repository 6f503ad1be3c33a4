/** Variables of the environment as values: name, meaning and default stand in one place. */

/** A variable that a room reads. */
export interface Variable {
  name: string
  /** What it does, in one sentence. */
  about: { en: string; fa: string }
  /** What is read where it is not set. Absent: nothing is, or what `about` says. */
  default?: string
  /** Never shown: a key or a password. */
  secret?: true
}

export type Variables = Readonly<Record<string, string | undefined>>

/** The text of a variable by its name, or its default; undefined where there is neither. */
export type VariableReader<Declared extends Variable> = <Name extends Declared['name']>(
  name: Name,
) => Extract<Declared, { name: Name }> extends { default: string } ? string : string | undefined

/** Reads the declared variables. One that is set but empty counts as absent, as shells and compose files mean it. */
export function variableReader<Declared extends Variable>(
  declared: readonly Declared[],
  variables: Variables,
): VariableReader<Declared> {
  const defaults = new Map(declared.map((one) => [one.name, one.default]))
  const read = (name: string): string | undefined => typedOf(variables, name) ?? defaults.get(name)
  return read as VariableReader<Declared>
}

/** What the operator typed for a variable. */
export const typedOf = (variables: Variables, name: string): string | undefined =>
  variables[name]?.trim() || undefined
