/** Sentences, numbers and dates in the language of the page. */

/** @type {Record<string, string>} */
const phrases = JSON.parse(document.getElementById('phrases')?.textContent ?? '{}')

/** @type {'fa' | 'en'} */
export const language = document.documentElement.lang === 'fa' ? 'fa' : 'en'

const locale = language === 'fa' ? 'fa-IR' : 'en-US'

/** @param {string} name */
export const hasPhrase = (name) => Object.hasOwn(phrases, name)

/**
 * The phrase of this name with its details in it.
 * @param {string} name
 * @param {Record<string, string>} [details]
 */
export const translate = (name, details = {}) =>
  (phrases[name] ?? name).replace(/\{(\w+)\}/g, (whole, key) => details[key] ?? whole)

/** @param {number} value */
export const formatNumber = (value) => value.toLocaleString(locale, { maximumFractionDigits: 2 })

/**
 * An amount that people pay, rounded up.
 * @param {number} value the credits
 */
export const amount = (value) =>
  value.toLocaleString(locale, { maximumFractionDigits: 2, roundingMode: 'ceil' })

/** @param {number} value */
export const credits = (value) => translate('credits', { number: amount(value) })

/**
 * A duration such as `1:05`, in the digits of the language.
 * @param {number} seconds
 */
export function duration(seconds) {
  const two = { minimumIntegerDigits: 2, useGrouping: false }
  const minutes = Math.floor(seconds / 60).toLocaleString(locale, { useGrouping: false })
  return `${minutes}:${Math.floor(seconds % 60).toLocaleString(locale, two)}`
}

const timeZone = 'Asia/Tehran'

/** @param {Date} date */
function solarHijri(date) {
  /** @type {Intl.DateTimeFormatOptions} */
  const options = { timeZone, day: 'numeric', month: 'long', year: 'numeric' }
  const parts = new Intl.DateTimeFormat(`${locale}-u-ca-persian`, options).formatToParts(date)
  /** @param {string} type */
  const part = (type) => parts.find((one) => one.type === type)?.value ?? ''
  return `${part('day')} ${part('month')} ${part('year')}`
}

/**
 * The day in the Solar Hijri calendar and the time, both of Tehran; in English with the Gregorian day as well.
 * @param {string} iso
 */
export function formatDate(iso) {
  const date = new Date(iso)
  const clock = new Intl.DateTimeFormat(locale, {
    timeZone,
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  if (language === 'fa') return `${solarHijri(date)}، ${clock.format(date)}`
  const day = new Intl.DateTimeFormat('en-GB', { timeZone, dateStyle: 'medium' })
  return `${day.format(date)} (${solarHijri(date)}), ${clock.format(date)}`
}

/**
 * The text with Persian digits, for a Persian line on a Persian page; digits that belong to Latin names stay.
 * @param {string} text
 */
export function localiseDigits(text) {
  if (language !== 'fa' || !/[\u0600-\u06ff]/.test(text)) return text
  return text.replace(/[A-Za-z0-9._:/-]+/g, (word) =>
    /[A-Za-z]/.test(word) ? word : word.replace(/\d/g, (digit) => String.fromCharCode(0x6f0 + Number(digit))),
  )
}
