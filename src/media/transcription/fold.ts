/** Letters and digits of Arabic keyboards that models write in Persian text, each with its Persian counterpart. */
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
/** The replacement of each code unit. */
const folded = Uint16Array.from({ length: 2 ** 16 }, (_, unit) =>
  (persian[String.fromCharCode(unit)] ?? String.fromCharCode(unit)).charCodeAt(0),
)

/**
 * Persian text with Persian letters and digits, character for character: its length stays, and so does every ZWNJ. Only for Persian text; in Arabic
 * the replaced letters are right.
 */
export function foldPersian(text: string): string {
  if (!isFoldable(text)) return text
  // The text is folded by code units: a replacement of each match blocked the event loop for 50 ms for the text of four hours.
  const units = new Uint16Array(text.length)
  const bytes = Buffer.from(units.buffer)
  bytes.write(text, 'utf16le')
  for (let at = 0; at < units.length; at++) units[at] = folded[units[at]!]!
  return bytes.toString('utf16le')
}

/** Whether folding would change this text. */
export const isFoldable = (text: string): boolean => text.search(foreign) >= 0
