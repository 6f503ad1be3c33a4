import type { Tool } from '#core/turn'

/** Words of tool names and descriptions that do not identify the subject. */
const stopWords = new Set(
  (
    'get set put fetch list find make does done the and for run call calls tool function current create read write ' +
    'with from into this that your you use used using given return returns information data value values user about ' +
    'which what when where will can may must should has have are was were its any all new one two name names ' +
    'یک این آن برای است که را از به در با بر تا هر می‌گیرد می‌دهد کردن گرفتن ابزار تابع مقدار نام'
  ).split(' '),
)

/** Persian words for common tool subjects, so that a Persian question matches a tool with an English name. */
const persian: Record<string, readonly string[]> = {
  weather: ['آب‌وهوا', 'آب و هوا', 'هوا', 'هوای', 'دما', 'دمای'],
  temperature: ['دما', 'دمای'],
  forecast: ['پیش‌بینی', 'هوا', 'هوای'],
  time: ['ساعت', 'زمان'],
  date: ['تاریخ', 'امروز'],
  datetime: ['تاریخ', 'ساعت', 'امروز'],
  search: ['جستجو', 'جست‌وجو', 'بگرد'],
  price: ['قیمت', 'نرخ'],
  currency: ['ارز', 'دلار', 'یورو'],
  stock: ['سهام', 'بورس'],
  translate: ['ترجمه'],
  email: ['ایمیل', 'رایانامه'],
  calculator: ['حساب', 'محاسبه'],
  calculate: ['حساب', 'محاسبه'],
  news: ['خبر', 'اخبار'],
  flight: ['پرواز'],
  hotel: ['هتل'],
  order: ['سفارش'],
  map: ['نقشه'],
  distance: ['فاصله', 'فاصلهٔ'],
  reminder: ['یادآوری'],
  calendar: ['تقویم'],
}

/**
 * The character position at which the text mentions the tool; `undefined` when it does not. A mention is, in this order: the tool's name (also with
 * spaces for its underscores), a significant word of the name or a Persian word for it, or two significant words of the description.
 */
export function mentionedAt(tool: Tool, text: string): number | undefined {
  const lower = text.toLowerCase().slice(0, 8000)
  const words = wordsOf(tool.name)
  const names = [tool.name.toLowerCase(), words.join(' ')].map((name) => findWord(lower, name))
  const telling = words
    .filter((word) => [...word].length > 2 && !stopWords.has(word))
    .flatMap((word) => [word, ...(persian[word] ?? [])].map((each) => findWord(lower, each)))
  const named = [...names, ...telling].filter((place) => place !== undefined)
  if (named.length > 0) return Math.min(...named)
  const described = [...new Set(wordsOf((tool.description ?? '').slice(0, 2000)))]
    .filter((word) => [...word].length > 3 && !stopWords.has(word))
    .map((word) => findWord(lower, word))
    .filter((place) => place !== undefined)
  return described.length > 1 ? Math.min(...described) : undefined
}

/** Splits a name or sentence into lower-case words, including camelCase and snake_case. */
function wordsOf(name: string): string[] {
  return (
    name
      .replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{M}\u200c]+/gu) ?? []
  )
}

/** Position of a whole word; an English plural counts. */
function findWord(text: string, word: string): number | undefined {
  if (word === '') return undefined
  const letter = /[\p{L}\p{M}\p{N}_]/u
  for (let place = text.indexOf(word); place !== -1; place = text.indexOf(word, place + 1)) {
    const before = text.charAt(place - 1)
    const rest = text.slice(place + word.length).replace(/^e?s(?![\p{L}\p{N}_])/u, '')
    if (!letter.test(before) && !letter.test(rest.charAt(0))) return place
  }
  return undefined
}
