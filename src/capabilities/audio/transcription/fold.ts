/**
 * Letters and digits that models of Arabic write in Persian texts. Each sign becomes one sign, so that a text may be folded in pieces as it comes;
 * half-spaces stay as they are.
 */
const folded: Record<string, string> = { ي: 'ی', ى: 'ی', ك: 'ک' }

const arabicZero = 0x0660
const persianZero = 0x06f0

/** A Persian text with Persian letters and digits. */
export const foldPersian = (text: string): string =>
  text.replace(
    /[يىك\u0660-\u0669]/g,
    (sign) => folded[sign] ?? String.fromCharCode(sign.charCodeAt(0) - arabicZero + persianZero),
  )

/**
 * Whether a transcript is folded. `isWanted` is what the caller says; without it `isUsual` decides, and only where Persian was said. Whoever asks for
 * it where nobody knows the language has it too.
 */
export function isFolded(
  { isWanted, isUsual }: { isWanted: boolean | undefined; isUsual: boolean },
  language: string | undefined,
): boolean {
  if (isWanted === false || (isWanted === undefined && !isUsual)) return false
  return language === 'fa' || (language === undefined && isWanted === true)
}
