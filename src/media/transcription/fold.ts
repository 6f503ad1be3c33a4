/** Letters and digits of Arabic keyboards that models write in Persian text, and those that Persian has for them. */
const persian: Readonly<Record<string, string>> = {
  ي: 'ی',
  ى: 'ی',
  ك: 'ک',
  '٠': '۰',
  '١': '۱',
  '٢': '۲',
  '٣': '۳',
  '٤': '۴',
  '٥': '۵',
  '٦': '۶',
  '٧': '۷',
  '٨': '۸',
  '٩': '۹',
}
const foreign = /[يىك٠-٩]/
/** What stands for each code unit. */
const folded = Uint16Array.from({ length: 2 ** 16 }, (_, unit) =>
  (persian[String.fromCharCode(unit)] ?? String.fromCharCode(unit)).charCodeAt(0),
)

/**
 * Persian text in Persian letters and digits, character for character: the length stays, and so does every ZWNJ. Only for text that is Persian; in
 * Arabic these letters are right.
 */
export function foldPersian(text: string): string {
  if (!isFoldable(text)) return text
  // By code units: a replacement of each match held the loop for 50 ms where four hours were written so.
  const units = new Uint16Array(text.length)
  const bytes = Buffer.from(units.buffer)
  bytes.write(text, 'utf16le')
  for (let at = 0; at < units.length; at++) units[at] = folded[units[at]!]!
  return bytes.toString('utf16le')
}

/** Whether folding would change this text. */
export const isFoldable = (text: string): boolean => text.search(foreign) >= 0
