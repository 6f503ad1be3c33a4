import { textMember, tidy } from '#engine/tools'

/** What is wrong with a tool's input, for the model. */
export interface Wrong {
  wrong: string
}

/** A text of the input without what nobody sees; undefined where there is none. */
export function textOf(
  input: unknown,
  name: string,
  { least, most }: { least: number; most: number },
): string | Wrong | undefined {
  const text = tidy(textMember(input, name) ?? '')
  const { length } = [...text]
  if (length === 0) return undefined
  if (length < least || length > most) return { wrong: `${name} must have ${least} to ${most} characters.` }
  return text
}

/** Persian and Arabic digits as Latin ones. */
export const latinDigits = (text: string): string =>
  text.replace(/[۰-۹٠-٩]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
