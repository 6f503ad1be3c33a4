/** What is wrong with a line of `_redirects` or `_headers`, and how it is fixed. */

import type { Localized } from '#platform/errors'
import { persian } from '#platform/words'

/** The names in a sentence, separated by commas. */
const quoted = (names: readonly string[]): string => names.join(', ')

export const ruleFilePhrases = {
  tooLong: (bytes: number): Localized => ({
    en: `The file is longer than ${bytes} bytes; shorten it, for example by a * for many paths.`,
    fa: `این فایل از ${persian(bytes)} بایت بلندتر است؛ آن را کوتاه کنید، برای نمونه با * برای چند مسیر.`,
  }),
  lineTooLong: (characters: number): Localized => ({
    en: `The line is longer than ${characters} characters; shorten it.`,
    fa: `این سطر از ${persian(characters)} کاراکتر بلندتر است؛ آن را کوتاه کنید.`,
  }),
  tooMany: (rules: number): Localized => ({
    en: `There are more than ${rules} rules; a * at the end of a path stands for many.`,
    fa: `بیش از ${persian(rules)} قاعده نوشته شده است؛ با * در پایان مسیر چند قاعده یکی می‌شود.`,
  }),
  control: (): Localized => ({
    en: 'The line has a character that cannot be printed; remove it.',
    fa: 'این سطر کاراکتری چاپ‌نشدنی دارد؛ آن را بردارید.',
  }),
  path: (): Localized => ({
    en: 'The path must start with a single slash, without empty, "." or ".." segments, backslash, query or fragment: /blog/first.',
    fa: 'مسیر باید با یک خط مورب آغاز شود و بخش خالی، «.» یا «..»، خط مورب وارونه، پرس‌وجو و لنگر نداشته باشد: ‎/blog/first.',
  }),
  encoding: (): Localized => ({
    en: 'The path has a % that is not followed by two hexadecimal digits of UTF-8; write %25 for a percent sign.',
    fa: 'در این مسیر پس از % دو رقم شانزده‌شانزدهی از UTF-8 نیامده است؛ برای خود علامت درصد ‎%25 بنویسید.',
  }),
  otherSite: (): Localized => ({
    en: 'A redirect leads to a path of the same site only; write a path such as /new, and link to other sites from a page.',
    fa: 'هدایت فقط به مسیری از همین سایت می‌رود؛ مسیری مانند ‎/new بنویسید و به سایت‌های دیگر از یک صفحه پیوند بدهید.',
  }),
}

export const redirectPhrases = {
  parts: (): Localized => ({
    en: 'A line has a path, where it leads, and perhaps a status: /old /new 301. Conditions and query parameters are not known here.',
    fa: 'هر سطر یک مسیر، مقصد آن و در صورت نیاز یک وضعیت دارد: ‎/old /new 301. شرط و پارامتر پرس‌وجو پشتیبانی نمی‌شود.',
  }),
  rewrite: (): Localized => ({
    en: '200 would serve another page under this path, which is not done; for an app that routes in the browser publish with "spa": true and remove the line.',
    fa: 'وضعیت 200 یعنی نشان‌دادن صفحه‌ای دیگر در همین مسیر، که انجام نمی‌شود؛ برای برنامه‌ای که مسیرها را در مرورگر می‌خواند با ‎"spa": true منتشر کنید و این سطر را بردارید.',
  }),
  notFound: (): Localized => ({
    en: '404 is answered without a rule for every path that is missing; put the page into 404.html and remove the line.',
    fa: 'برای هر مسیری که نباشد بی هیچ قاعده‌ای 404 داده می‌شود؛ صفحه را در 404.html بگذارید و این سطر را بردارید.',
  }),
  forced: (): Localized => ({
    en: 'A file of the site always comes before a redirect, so "!" is not known; remove the sign, and the file if the redirect should count.',
    fa: 'فایل سایت همیشه بر هدایت مقدم است و «!» شناخته نیست؛ این علامت را بردارید و اگر هدایت باید کار کند فایل را هم حذف کنید.',
  }),
  status: (): Localized => ({
    en: 'The status must be 301, 302, 307 or 308; without one it is 301.',
    fa: 'وضعیت باید 301، 302، 307 یا 308 باشد؛ اگر ننویسید 301 است.',
  }),
  star: (): Localized => ({
    en: '* may only be the whole last segment of the path: /blog/*.',
    fa: '* فقط می‌تواند همهٔ بخش آخر مسیر باشد: ‎/blog/*.',
  }),
  placeholder: (): Localized => ({
    en: 'Placeholders such as :year are not known; write * as the last segment and :splat where it leads.',
    fa: 'جاینما مانند ‎:year پشتیبانی نمی‌شود؛ در بخش آخر مسیر * و در مقصد ‎:splat بنویسید.',
  }),
  splat: (): Localized => ({
    en: ':splat stands for what * matched, but this path has no *.',
    fa: '‎:splat همان چیزی است که * پوشانده است، ولی این مسیر * ندارد.',
  }),
  itself: (): Localized => ({
    en: 'The redirect leads to itself; remove the line or change where it leads.',
    fa: 'این هدایت به خودش می‌رسد؛ سطر را بردارید یا مقصد را عوض کنید.',
  }),
}

export const headerPhrases = {
  neither: (): Localized => ({
    en: 'A line is a path that starts with a slash, or below it a header: "Name: value".',
    fa: 'هر سطر یا مسیری است که با خط مورب آغاز می‌شود یا زیر آن یک هدر است: ‎«Name: value».',
  }),
  noPath: (): Localized => ({
    en: 'A path must stand above the header, such as /* for all paths.',
    fa: 'بالای هدر باید یک مسیر نوشته شود، برای نمونه ‎/* برای همهٔ مسیرها.',
  }),
  empty: (): Localized => ({
    en: 'There is no header below this path; write one or remove the path.',
    fa: 'زیر این مسیر هیچ هدری نیست؛ هدری بنویسید یا مسیر را بردارید.',
  }),
  star: (): Localized => ({
    en: 'A path has at most one *, and no placeholders such as :year.',
    fa: 'هر مسیر حداکثر یک * دارد و جاینما مانند ‎:year ندارد.',
  }),
  name: (name: string, allowed: readonly string[]): Localized => ({
    en: `The header ${name} cannot be set by a site; remove it. Those that can: ${quoted(allowed)}.`,
    fa: `سایت نمی‌تواند هدر ${name} را بنویسد؛ آن را بردارید. هدرهای مجاز: ${quoted(allowed)}.`,
  }),
  value: (): Localized => ({
    en: 'The value of a header has 1 to 4,000 characters, of printable ASCII only.',
    fa: 'مقدار هدر باید ۱ تا ۴٬۰۰۰ کاراکتر چاپ‌شدنی ASCII باشد.',
  }),
  only: (name: string, value: string): Localized => ({
    en: `${name} has no other value than ${value}; every answer has it already.`,
    fa: `${name} جز ${value} مقداری ندارد و همهٔ پاسخ‌ها آن را دارند.`,
  }),
}
