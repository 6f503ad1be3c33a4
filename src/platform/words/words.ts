/** Numbers and digits as Persian and English sentences write them, and digits as people type them. */

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
