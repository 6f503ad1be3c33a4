/** The member of what a model wrote as a tool's input; models leave things out and mistake their types. */
export function member(input: unknown, name: string): unknown {
  return typeof input === 'object' && input !== null && Object.hasOwn(input, name)
    ? (input as Record<string, unknown>)[name]
    : undefined
}

/** A text that holds more than space, trimmed; undefined for anything else. */
export function textMember(input: unknown, name: string): string | undefined {
  const value = member(input, name)
  return typeof value === 'string' ? value.trim() || undefined : undefined
}
