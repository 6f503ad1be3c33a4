/** Numbers and digits as sentences write them, and digits as people type them. */

/** `۱٬۲۳۴٫۵` */
export const persian = (number: number): string => number.toLocaleString('fa-IR')

/** `1,234.5` */
export const english = (number: number): string => number.toLocaleString('en-US')

/** The digits of a text as Persian ones; for numbers without thousands, as ports, versions and dates are. */
export const persianDigits = (text: number | string): string =>
  String(text).replace(/[0-9]/g, (digit) => String.fromCharCode(0x6f0 + Number(digit)))

/** An exact number of any length, with its decimal point, in Persian digits. */
export const persianDecimal = (number: bigint | number | string): string =>
  persianDigits(String(number)).replace('.', '٫')

/** Persian and Arabic digits as Latin ones. */
export const latinDigits = (text: string): string =>
  text.replace(/[۰-۹٠-٩]/g, (digit) => String(digit.charCodeAt(0) & 0xf))
