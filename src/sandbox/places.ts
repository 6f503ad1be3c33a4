/** Places that the sandbox recognises in a text, in both languages. */
const cities: readonly [english: string, persian: string][] = [
  ['Tehran', 'تهران'],
  ['Isfahan', 'اصفهان'],
  ['Shiraz', 'شیراز'],
  ['Mashhad', 'مشهد'],
  ['Tabriz', 'تبریز'],
  ['Karaj', 'کرج'],
  ['Qom', 'قم'],
  ['Ahvaz', 'اهواز'],
  ['Rasht', 'رشت'],
  ['Yazd', 'یزد'],
  ['Kerman', 'کرمان'],
  ['Hamedan', 'همدان'],
  ['Urmia', 'ارومیه'],
  ['Kermanshah', 'کرمانشاه'],
  ['Bandar Abbas', 'بندرعباس'],
  ['Istanbul', 'استانبول'],
  ['Ankara', 'آنکارا'],
  ['Dubai', 'دبی'],
  ['Baghdad', 'بغداد'],
  ['Kabul', 'کابل'],
  ['Paris', 'پاریس'],
  ['London', 'لندن'],
  ['Berlin', 'برلین'],
  ['Rome', 'رم'],
  ['Madrid', 'مادرید'],
  ['Moscow', 'مسکو'],
  ['Tokyo', 'توکیو'],
  ['Beijing', 'پکن'],
  ['Delhi', 'دهلی'],
  ['Cairo', 'قاهره'],
  ['New York', 'نیویورک'],
  ['San Francisco', 'سان‌فرانسیسکو'],
  ['Boston', 'بوستون'],
  ['Chicago', 'شیکاگو'],
  ['Toronto', 'تورنتو'],
  ['Sydney', 'سیدنی'],
  ['Amsterdam', 'آمستردام'],
  ['Vienna', 'وین'],
]

const known = new RegExp(
  `(?<![\\p{L}\\u200c])(?:${cities
    .flat()
    .toSorted((left, right) => right.length - left.length)
    .join('|')})(?!\\p{L})`,
  'giu',
)
/** A capitalised name after a preposition: "in Santa Rosa". */
const afterPreposition = /\b(?:in|for|at|of|to|from)\s+((?:\p{Lu}[\p{L}'-]+)(?:\s\p{Lu}[\p{L}'-]+){0,2})/gu
const notPlaces =
  /^(?:json|english|persian|farsi|celsius|fahrenheit|iran'?s|monday|tuesday|wednesday|thursday|friday|saturday|sunday)$/i

/** The places named in a text, as it writes them, in order and each once. Known cities win over guesses. */
export function findPlaces(text: string): string[] {
  const short = text.slice(0, 4000)
  const named = [...short.matchAll(known)].map((match) => match[0])
  const guessed = [...short.matchAll(afterPreposition)].map((match) => match[1] ?? '')
  const found = named.length > 0 ? named : guessed.filter((name) => !notPlaces.test(name))
  const seen = new Set<string>()
  return found.filter((name) => !seen.has(name.toLowerCase()) && seen.add(name.toLowerCase()))
}
