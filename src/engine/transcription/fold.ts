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
const foreign = new RegExp(`[${Object.keys(persian).join('')}]`, 'g')

/**
 * Persian text in Persian letters and digits, character for character: the length stays, and so does every ZWNJ. Only for text that is Persian; in
 * Arabic these letters are right.
 */
export const foldPersian = (text: string): string => text.replace(foreign, (letter) => persian[letter]!)

/** Whether folding would change this text. */
export const isFoldable = (text: string): boolean => text.search(foreign) >= 0
