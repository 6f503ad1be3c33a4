/** Names of languages: what callers write, and what OpenAI's clients read. */

/** ISO 639-2 and -3 codes that speech clients send for what has a shorter one. */
const shorter: Record<string, string> = {
  ...{
    fas: 'fa',
    per: 'fa',
    pes: 'fa',
    prs: 'fa',
    ara: 'ar',
    arb: 'ar',
    eng: 'en',
    kur: 'ku',
    tur: 'tr',
    azb: 'az',
  },
  ...{
    aze: 'az',
    azj: 'az',
    urd: 'ur',
    pus: 'ps',
    tgk: 'tg',
    deu: 'de',
    ger: 'de',
    fra: 'fr',
    fre: 'fr',
    spa: 'es',
  },
  ...{
    ita: 'it',
    por: 'pt',
    rus: 'ru',
    zho: 'zh',
    chi: 'zh',
    cmn: 'zh',
    jpn: 'ja',
    kor: 'ko',
    hin: 'hi',
    heb: 'he',
  },
  ...{ iw: 'he', in: 'id', nld: 'nl', dut: 'nl', pol: 'pl', ukr: 'uk', swe: 'sv', hye: 'hy', arm: 'hy' },
}

/** Of languages that are known by their English names alone: whisper says them so. */
const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
const byName = new Map<string, string>()

/** A code of two or three letters, with or without script and region; nothing else. */
export const languagePattern = '^[A-Za-z]{2,3}([-_][A-Za-z0-9]{2,8}){0,3}$'

/** The shortest code of a language: `fa-IR`, `fas` and `per` are `fa`. */
export function languageOf(code: string): string {
  const plain = code.trim().toLowerCase().split(/[-_]/, 1)[0]!
  return Object.hasOwn(shorter, plain) ? shorter[plain]! : plain
}

/** What an upstream says, which may be a name: `persian` and `Farsi` are `fa`; undefined for what is no language. */
export function languageSaid(said: string | undefined): string | undefined {
  if (said === undefined) return undefined
  const plain = said.trim().toLowerCase()
  if (/^[a-z]{2,3}([-_][a-z0-9]{2,8}){0,3}$/.test(plain)) return languageOf(plain)
  if (plain === 'farsi') return 'fa'
  if (byName.size === 0) fillNames()
  return byName.get(plain)
}

function fillNames(): void {
  const letters = 'abcdefghijklmnopqrstuvwxyz'
  for (const one of letters)
    for (const other of letters) {
      const name = names.of(one + other)?.toLowerCase()
      if (name !== undefined && !byName.has(name)) byName.set(name, one + other)
    }
}

/** Whisper's name of a language, as OpenAI's verbose_json says it: `persian`. Unknown ones stay codes. */
export const nameOf = (code: string): string => names.of(code)?.toLowerCase() ?? code
