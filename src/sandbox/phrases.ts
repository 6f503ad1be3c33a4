import { latinDigits, persianDigits } from '#platform/words'
import type { Language } from './language.ts'

/** Every phrase of the sandbox, Persian and English side by side. `{name}` marks a place to fill. */
const phrases = {
  opening: {
    fa: 'من شبیه‌ساز آزمایشی خرد هستم: آفلاین کار می‌کنم و هوشمند نیستم.',
    en: 'I am the Kherad sandbox: an offline simulator, not an intelligent model.',
  },
  asked: { fa: 'شما نوشتید: «{question}»', en: 'You wrote: “{question}”' },
  nothingAsked: { fa: 'پیام شما متنی نداشت.', en: 'Your message had no text.' },
  conversation: {
    fa: 'این پیام شمارهٔ {count} شما در این گفت‌وگو است.',
    en: 'This is your message number {count} in this conversation.',
  },
  heard: {
    fa: 'شبیه‌ساز خرد شنید: «{question}».',
    en: 'The Kherad sandbox heard: “{question}”.',
  },
  heardNothing: {
    fa: 'شبیه‌ساز خرد سخنی نشنید.',
    en: 'The Kherad sandbox heard no words.',
  },
  askedBack: { fa: 'دیگر چه می‌گویید؟', en: 'What else would you like to say?' },
  equation: { fa: '{expression} = {result}', en: '{expression} = {result}' },
  divisionByZero: {
    fa: 'حاصل {expression} تعریف نشده است، چون بر صفر تقسیم می‌شود.',
    en: '{expression} is undefined, because it divides by zero.',
  },
  imageMeasured: {
    fa: 'یک تصویر {format} با اندازهٔ {width}×{height} دریافت شد.',
    en: 'Received a {width}×{height} {format} image.',
  },
  imageUnmeasured: { fa: 'یک تصویر {format} دریافت شد.', en: 'Received a {format} image.' },
  imageLinked: {
    fa: 'نشانی یک تصویر دریافت شد؛ شبیه‌ساز نشانی‌ها را باز نمی‌کند.',
    en: 'Received a link to an image; the sandbox opens no links.',
  },
  audio: {
    fa: 'یک صدای {format} به مدت {seconds} ثانیه دریافت شد.',
    en: 'Received a {seconds} s {format} audio.',
  },
  audioUnmeasured: { fa: 'یک صدای {format} دریافت شد.', en: 'Received a {format} audio.' },
  recordingUnknown: {
    fa: 'شبیه‌ساز تنها گفتار خودش را می‌شناسد: این ضبط {seconds} ثانیه است، بلندی‌اش {loudness} دسی‌بل زیر بیشینه است و {spans} بار گفتار در آن آغاز می‌شود.',
    en: 'The sandbox knows its own speech only: this recording lasts {seconds} s, is {loudness} dB below full scale, and speech begins in it {spans} times.',
  },
  recordingForeign: {
    fa: 'شبیه‌ساز ترجمه نمی‌کند: در این ضبط {count} واژهٔ فارسی گفته می‌شود.',
    en: 'The sandbox translates nothing: {count} words of Persian are said in this recording.',
  },
  video: {
    fa: 'یک ویدیوی {format} به مدت {seconds} ثانیه و با اندازهٔ {width}×{height} دریافت شد.',
    en: 'Received a {seconds} s {width}×{height} {format} video.',
  },
  videoUnmeasured: { fa: 'یک ویدیوی {format} دریافت شد.', en: 'Received a {format} video.' },
  documentPages: {
    fa: 'سند «{title}» دریافت شد: PDF با {pages} صفحه؛ شبیه‌ساز متن آن را نمی‌خواند.',
    en: 'Received the document “{title}”: a PDF of {pages} pages; the sandbox does not read its text.',
  },
  documentUncounted: {
    fa: 'سند «{title}» دریافت شد: PDF که صفحه‌هایش شمرده نشد؛ شبیه‌ساز متن آن را نمی‌خواند.',
    en: 'Received the document “{title}”: a PDF whose pages were not counted; the sandbox does not read its text.',
  },
  documentText: {
    fa: 'سند «{title}» دریافت شد: متنی با {count} کاراکتر.',
    en: 'Received the document “{title}”: text of {count} characters.',
  },
  untitled: { fa: 'بی‌نام', en: 'untitled' },
  unknownFormat: { fa: 'ناشناخته', en: 'unknown-format' },
  toolResult: { fa: 'نتیجهٔ ابزار {name}: {result}', en: 'Result of the tool {name}: {result}' },
  toolSummary: {
    fa: 'بر پایهٔ این نتیجه‌ها به پرسش شما پاسخ داده شد: «{question}»',
    en: 'These results answer your question: “{question}”',
  },
  refusal: {
    fa: 'شبیه‌ساز به این درخواست پاسخ نمی‌دهد، چون نشانهٔ refuse در پیام بود.',
    en: 'The sandbox refuses this request, because the message carried the refuse marker.',
  },
  sampleText: { fa: 'متن نمونه', en: 'sample text' },
  samplePlace: { fa: 'تهران', en: 'Tehran' },
  objectAnswer: {
    fa: 'پاسخ نمونه از شبیه‌ساز خرد',
    en: 'A sample answer from the Kherad sandbox',
  },
} satisfies Record<string, Record<Language, string>>

export type Phrase = keyof typeof phrases

/** The phrase in the language, with its placeholders filled; numbers are written in the digits of the language. */
export function phraseText(
  language: Language,
  phrase: Phrase,
  fill: Record<string, string | number> = {},
): string {
  return phrases[phrase][language].replace(/\{(\w+)\}/g, (place, name: string) => {
    const value = fill[name]
    if (value === undefined) return place
    return typeof value === 'number' ? digits(language, String(value)) : value
  })
}

/** Writes ASCII digits in the digits of the language; Persian also uses its own decimal mark. */
export function digits(language: Language, text: string): string {
  if (language === 'en') return text
  return persianDigits(text.replace(/(?<=\d)\.(?=\d)/g, '٫'))
}

/** Reads Persian and Arabic digits, decimal marks and thousands marks as ASCII. */
export function asciiDigits(text: string): string {
  return latinDigits(text)
    .replace(/(?<=\d)٫(?=\d)/g, '.')
    .replace(/(?<=\d)٬(?=\d)/g, '')
}

const spelled: Record<string, string> = Object.fromEntries(
  [
    'one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty',
    'یک دو سه چهار پنج شش هفت هشت نه ده یازده دوازده سیزده چهارده پانزده شانزده هفده هجده نوزده بیست',
  ].flatMap((row) => row.split(' ').map((word, index) => [word, String(index + 1)])),
)
const spelledWord = new RegExp(
  `(?<![\\p{L}\\u200c])(?:${Object.keys(spelled).join('|')})(?![\\p{L}\\u200c])`,
  'giu',
)

/** Reads all spellings of a number as ASCII digits: other digits, and the words up to twenty. */
export function numerals(text: string): string {
  return asciiDigits(text).replace(spelledWord, (word) => spelled[word.toLowerCase()] ?? word)
}

/** Sentences for longer texts; their order reads as one short story from any start. */
export const story: Record<Language, readonly string[]> = {
  fa: [
    'در یکی از کوچه‌های قدیمی شهر، کتابخانه‌ای کوچک هست که هر روز صبح زود باز می‌شود.',
    'کتابدار آن، زنی آرام و باحوصله، نام بیشتر خواننده‌ها را از بر می‌داند.',
    'دانش‌آموزها بعد از مدرسه به آنجا می‌آیند و کنار پنجره می‌نشینند.',
    'بوی کاغذ و چای تازه، فضای سالن را گرم‌تر از بیرون نشان می‌دهد.',
    'روی یک میز بلند، نقشه‌ای از رودها و کوه‌های ایران پهن شده است.',
    'پیرمردی هر هفته خاطره‌ای از سفرهای جوانی‌اش برای بچه‌ها تعریف می‌کند.',
    'کسی عجله ندارد و صدای ورق خوردن کتاب‌ها از هر گوشه شنیده می‌شود.',
    'در قفسهٔ آخر، دیوان شاعران در کنار کتاب‌های ستاره‌شناسی جا گرفته است.',
    'گاهی باران به شیشه می‌زند و همه برای چند لحظه سر بلند می‌کنند.',
    'هر کتابی که به امانت می‌رود، با یادداشتی کوتاه برمی‌گردد.',
    'این یادداشت‌ها در دفتری گرد آمده‌اند که خودش کتابی خواندنی شده است.',
    'عصر که می‌شود، چراغ‌ها یکی‌یکی روشن می‌شوند و شهر آرام‌تر به نظر می‌رسد.',
  ],
  en: [
    'In one of the old lanes of the city there is a small library that opens early every morning.',
    'Its librarian, a calm and patient woman, knows most of the readers by name.',
    'Pupils come here after school and take the seats beside the window.',
    'The smell of paper and fresh tea makes the hall feel warmer than the street.',
    'A map of rivers and mountains lies open on the long table.',
    'Every week an old man tells the children a story from the travels of his youth.',
    'Nobody is in a hurry, and pages turn softly in every corner.',
    'On the last shelf the poets stand next to the books on astronomy.',
    'Now and then the rain taps on the glass and everyone looks up for a moment.',
    'Every book that is lent comes back with a short note inside.',
    'The notes are kept in a binder that has itself become a good book.',
    'In the evening the lamps go on one by one and the city seems quieter.',
  ],
}

/** Thoughts of the reasoning model; `{question}` is filled. The first ones are enough for low effort. */
export const thoughts: Record<Language, readonly string[]> = {
  fa: [
    'کاربر نوشته است: «{question}»',
    'نخست باید ببینم چه نوع درخواستی است و به چه زبانی پاسخ بدهم.',
    'من یک شبیه‌سازم، پس پاسخ را از روی قاعده‌های ثابت می‌سازم.',
    'اگر ابزاری در دسترس باشد، بررسی می‌کنم که نام آن در پیام آمده است یا نه.',
    'قالب خواسته‌شده را هم در نظر می‌گیرم تا پاسخ با آن بخواند.',
    'شمار توکن‌ها محدود است، پس پاسخ نباید از آن بلندتر شود.',
    'یک بار دیگر پرسش را می‌خوانم تا چیزی جا نیفتاده باشد.',
    'راه اول این است که پاسخ را کوتاه و روشن بنویسم.',
    'راه دوم این است که نخست داده‌ها را مرتب کنم و بعد نتیجه بگیرم.',
    'هر دو راه به یک پاسخ می‌رسند، پس راه ساده‌تر را برمی‌گزینم.',
    'عددها را دوباره حساب می‌کنم تا از درستی آن‌ها مطمئن شوم.',
    'جمله‌ها را بررسی می‌کنم که ساده و بی‌ابهام باشند.',
    'نکته‌ای نیست که با گفته‌های پیشین ناسازگار باشد.',
    'پاسخ آماده است و فقط باید نوشته شود.',
  ],
  en: [
    'The user wrote: “{question}”',
    'First I should see what kind of request this is and which language to answer in.',
    'I am a simulator, so I build the answer from fixed rules.',
    'If there are tools, I check whether the message mentions one of them.',
    'I also keep the requested format in mind so that the answer fits it.',
    'The number of tokens is limited, so the answer must not grow past it.',
    'I read the question once more so that nothing is missed.',
    'One way is to write the answer short and plain.',
    'Another way is to put the data in order first and then conclude.',
    'Both ways reach the same answer, so I take the simpler one.',
    'I compute the numbers again to be sure that they are right.',
    'I check that the sentences are simple and unambiguous.',
    'Nothing here disagrees with what was said before.',
    'The answer is ready and only has to be written down.',
  ],
}
