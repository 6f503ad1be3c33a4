import { cleanText, textMember } from '#core/tools'

/** What is wrong with a tool's input, for the model. */
export interface InvalidInput {
  wrong: string
}

/** A text member of the input without invisible characters; undefined if there is none. */
export function textOf(
  input: unknown,
  name: string,
  { min, max }: { min: number; max: number },
): string | InvalidInput | undefined {
  const text = cleanText(textMember(input, name) ?? '')
  const { length } = [...text]
  if (length === 0) return undefined
  if (length < min || length > max) return { wrong: `${name} must have ${min} to ${max} characters.` }
  return text
}
