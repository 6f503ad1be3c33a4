/** The names of languages that clients send and receive. */

const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })

/** A code of two or three letters, with or without script and region; or what names no language. */
export const languagePattern = '^([A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,3}|[Aa][Uu][Tt][Oo])?$'

/** Whisper's name of a language, as in OpenAI's verbose_json: `persian`. An unknown code is returned as it is. */
export const nameOf = (code: string): string => names.of(code)?.toLowerCase() ?? code
