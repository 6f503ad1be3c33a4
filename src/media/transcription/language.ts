/** Languages, recognised by any code that a caller may write. */

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
/** Codes that ICU names, but that are no language. */
const none: ReadonlySet<string> = new Set(['mul', 'zxx', 'und', 'mis', 'root'])

/** The language that a field names. Forms send an empty text where nothing was chosen, and whisper's clients `auto`: neither names one. */
export const namedLanguage = (field: string | null | undefined): string | undefined =>
  !field || field.toLowerCase() === 'auto' ? undefined : field

/**
 * The shortest code of ISO 639 for a language: `fa` for `fa-IR`, `fa_IR`, `fas`, `per`, `pes` and `FA`; three letters where there is no code of two
 * (`ckb`). Undefined for a code that names no language.
 */
export function languageOf(code: string): string | undefined {
  const tag = code.trim().replaceAll('_', '-')
  if (!/^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{1,8}){0,8}$/.test(tag)) return undefined
  try {
    const { language } = new Intl.Locale(tag)
    return none.has(language) || names.of(language) === undefined ? undefined : language
  } catch {
    return undefined
  }
}
