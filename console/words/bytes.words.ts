/** Units of sizes, each a thousand of the one before. */
export const byteUnits = {
  fa: ['بایت', 'کیلوبایت', 'مگابایت', 'گیگابایت'],
  en: ['bytes', 'kB', 'MB', 'GB'],
}
