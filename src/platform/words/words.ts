/** Numbers and digits as Persian and English sentences write them, digits as people type them, and Persian in Latin letters. */

/** A number in Persian: `۱٬۲۳۴٫۵` */
export const persian = (number: number): string => number.toLocaleString('fa-IR')

/** A number in English: `1,234.5` */
export const english = (number: number): string => number.toLocaleString('en-US')

/** Replaces the digits of a text by Persian ones; for numbers without thousands separators, such as ports, versions and dates. */
export const persianDigits = (text: number | string): string =>
  String(text).replace(/[0-9]/g, (digit) => String.fromCharCode(0x6f0 + Number(digit)))

/** An exact number of any length, with its decimal point, in Persian digits. */
export const persianDecimal = (number: bigint | number | string): string =>
  persianDigits(String(number)).replace('.', '٫')

/** Replaces Persian and Arabic digits by Latin ones. */
export const latinDigits = (text: string): string =>
  text.replace(/[۰-۹٠-٩]/g, (digit) => String(digit.charCodeAt(0) & 0xf))

/** The Latin letters that come closest to Persian and Arabic ones, and digits. */
const latin: Record<string, string> = Object.fromEntries(
  [
    'آa اa أa إa ءa بb پp تt ثs جj چch حh خkh دd ذz رr زz ژzh سs شsh صs ضz طt ظz عa غgh فf قgh کk كk گg لl مm نn وo ؤo هh ةh یi يi ىi ئi',
    '۰0 ۱1 ۲2 ۳3 ۴4 ۵5 ۶6 ۷7 ۸8 ۹9 ٠0 ١1 ٢2 ٣3 ٤4 ٥5 ٦6 ٧7 ٨8 ٩9',
  ].flatMap((line) => line.split(' ').map((pair) => [pair[0]!, pair.slice(1)])),
)

/** Writes Persian and Arabic letters as Latin ones, and letters with accents without them; whatever else there is stays. */
export const inLatinLetters = (text: string): string =>
  Array.from(text.normalize('NFKD'), (letter) => latin[letter] ?? letter)
    .join('')
    .replace(/[\u0300-\u036f\u064b-\u065f]/g, '')
