/** Languages the sandbox can answer in; every other language is answered in English. */
export type Language = 'fa' | 'en'

const arabicScript = /\p{Script=Arabic}/gu
const latinScript = /\p{Script=Latin}/gu
/** Letters that Persian has and Arabic has not, the half-space, and Persian digits. */
const persianMark = /[پچژگکی۰-۹]|\p{Script=Arabic}\u200c/u
const persianWord = /(?<!\p{L})(سلام|است|را|که|از|به|در|این|چه|چند|هست|بنویس|کن|و)(?!\p{L})/u
const arabicMark = /[ةىإأؤ]|(?<!\p{L})ال\p{L}{3}/u

const persianRequests = [
  /\b(?:answer|reply|respond|write|speak|talk|say)\b[^.\n]{0,60}\b(?:in\s+)?(?:persian|farsi)\b/i,
  /\bin (?:persian|farsi)\b/i,
  /(?:به|با)\s+(?:زبان\s+)?فارسی/,
  /فارسی\s+(?:پاسخ|جواب|بنویس|بگو)/,
]
const englishRequests = [
  /\b(?:answer|reply|respond|write|speak|talk|say)\b[^.\n]{0,60}\b(?:in\s+)?english\b/i,
  /\bin english\b/i,
  /(?:به|با)\s+(?:زبان\s+)?انگلیسی/,
]

/** The language that the text asks to be answered in, when it says so. */
export function requestedLanguage(text: string): Language | undefined {
  if (persianRequests.some((pattern) => pattern.test(text))) return 'fa'
  if (englishRequests.some((pattern) => pattern.test(text))) return 'en'
  return undefined
}

/** The language that the text is written in; `undefined` when it has no letters and no Persian digits. */
export function writtenLanguage(text: string): Language | undefined {
  const arabic = text.match(arabicScript)?.length ?? 0
  const latin = text.match(latinScript)?.length ?? 0
  if (arabic === 0 && latin === 0) return /[۰-۹]/.test(text) ? 'fa' : /\p{L}/u.test(text) ? 'en' : undefined
  if (arabic <= latin) return 'en'
  if (persianMark.test(text) || persianWord.test(text)) return 'fa'
  return arabicMark.test(text) ? 'en' : 'fa'
}
