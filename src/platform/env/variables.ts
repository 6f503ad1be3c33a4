/** Variables of the environment as values: name, meaning and default are declared in one place. */

/** A variable that a room reads. */
export interface Variable {
  name: string
  /** What the variable does, in one sentence. */
  about: { en: string; fa: string }
  /** The value if the variable is not set. If absent: there is none, or it is what `about` says. */
  default?: string
  /** True for a key or a password, which is never shown. */
  secret?: true
}

export type Variables = Readonly<Record<string, string | undefined>>

/** The text of a variable by its name, or its default; undefined if it has neither. */
export type VariableReader<Declared extends Variable> = <Name extends Declared['name']>(
  name: Name,
) => Extract<Declared, { name: Name }> extends { default: string } ? string : string | undefined

/** Reads the declared variables. A variable that is set but empty counts as absent, as in shells and compose files. */
export function variableReader<Declared extends Variable>(
  declared: readonly Declared[],
  variables: Variables,
): VariableReader<Declared> {
  const defaults = new Map(declared.map((one) => [one.name, one.default]))
  const read = (name: string): string | undefined => variableText(variables, name) ?? defaults.get(name)
  return read as VariableReader<Declared>
}

/** What the operator typed for a variable. */
export const variableText = (variables: Variables, name: string): string | undefined =>
  variables[name]?.trim() || undefined
