/**
 * Adapts text to the fonts that are embedded in every PDF, which have letters, digits, arrows and signs. Meaningful emoji become the sign of that
 * meaning; decorative ones are removed, since they would be shown as empty boxes.
 */
export const forPrint = (text: string): string =>
  withBreaks(withSigns(text)).replace(endsInSigns, '$&\u200e').replace(isoDate, '\u2066$&\u2069')

const signs: Record<string, string> = {
  '✅': '✔',
  '☑': '✔',
  '❌': '✘',
  '❎': '✘',
  '⭐': '★',
  '🌟': '★',
  '❗': '!',
  '❓': '?',
  '➕': '+',
  '➖': '−',
  '➡': '→',
  '⬅': '←',
  '⬆': '↑',
  '⬇': '↓',
  '🔴': '●',
  '🟠': '●',
  '🟡': '●',
  '🟢': '●',
  '🔵': '●',
  '⚪': '○',
  '⚫': '●',
}

/** An emoji with its variation selectors, skin tones and joined emoji, and the space after it. */
const picture =
  /[\p{Extended_Pictographic}\p{Regional_Indicator}](?:\ufe0f|\u20e3|\p{Emoji_Modifier}|\u200d\p{Extended_Pictographic})* ?/gu

function withSigns(text: string): string {
  return text
    .replace(picture, (found) => {
      const first = String.fromCodePoint(found.codePointAt(0)!)
      const sign = signs[first]
      if (sign) return found.endsWith(' ') ? `${sign} ` : sign
      // Characters below U+1F000 are older signs that the fonts have: ☎, ♥, ©.
      return found.codePointAt(0)! < 0x1f000 ? found.replaceAll('\ufe0f', '') : ''
    })
    .replaceAll('\ufe0f', '')
}

/** Names such as C++ and C#, which must keep their signs on their side between Persian words. */
const endsInSigns = /[A-Za-z][+#]{1,2}(?![\p{L}\p{N}+#])/gu

/** Dates such as 2026-11-20, which must be read from the year on, also between Persian words. */
const isoDate = /(?<![\p{L}\p{N}-])[\d۰-۹]{4}-[\d۰-۹]{2}-[\d۰-۹]{2}(?![\p{L}\p{N}-])/gu

const longToken = /[^\s\u200b]{28,}/g

/** Addresses and other words longer than a line may break, after a sign where there is one. */
const withBreaks = (text: string): string =>
  text.replace(longToken, (token) =>
    joined.test(token)
      ? token
      : token
          .replace(/[/\\?&=#_.,:;@+-](?=[^/\\?&=#_.,:;@+-])/g, '$&\u200b')
          .replace(/[^\u200b]{24}(?=[^\u200b]{4})/gu, '$&\u200b'),
  )

/** Scripts whose letters join: a break inside would tear them apart. */
const joined = /[\p{Script=Arabic}\p{Script=Syriac}\p{Mn}]{24}/u

/** Adapts code to the fonts; a long part of a line without a space may break. */
export const codeForPrint = (text: string): string =>
  withSigns(text).replace(/[^\s\u200b]{60,}/gu, (token) => token.replace(/.{40}(?=.{4})/gu, '$&\u200b'))
