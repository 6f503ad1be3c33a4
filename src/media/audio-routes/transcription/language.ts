/** Names of languages, as clients write and read them. */

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** A code of two or three letters, with or without script and region. */
export const languagePattern = '^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,3}$'

/** Whisper's name of a language, as OpenAI's verbose_json says it: `persian`. Unknown ones stay codes. */
export const nameOf = (code: string): string => names.of(code)?.toLowerCase() ?? code
